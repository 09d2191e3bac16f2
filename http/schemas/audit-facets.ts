// The numbers of audited commits.
import * as Type from 'typebox'
import { sample, view } from './view.js'

/** The values of a facet that are returned at most. */
export const MAX_VALUES = 50

const valuesOf = (description: string) =>
  Type.Array(Type.Object({ Value: Type.String(), Count: Type.Integer({ description: 'Commits' }) }), {
    description: `${description}: the ${MAX_VALUES} most frequent, and the most frequent first`
  })

/** Numbers of commits of an audit. */
export const auditFacets = view('AuditFacets', {
  From: sample.integer(1, 'The first commit that was looked at'),
  To: sample.integer(57, 'The last commit that was looked at'),
  IsComplete: sample.of(
    true,
    Type.Boolean({
      description: 'False if the range has more commits than are counted: its first ones are not'
    })
  ),
  Commits: sample.integer(12, 'Commits with an event that the caller may read'),
  Accessors: sample.of(
    [{ Value: '6a1253d2-1785-24fd-91c2-f8e78c745511', Count: 12 }],
    Type.Optional(valuesOf('AccessorIDs; empty for the server itself and for erased origins'))
  ),
  Topics: sample.of([{ Value: 'KV', Count: 12 }], valuesOf('Topics of the events')),
  Namespaces: sample.of([{ Value: 'default', Count: 12 }], valuesOf('Namespaces of the events')),
  Types: sample.of(
    [
      { Value: 'KVSet', Count: 11 },
      { Value: 'KVDelete', Count: 1 }
    ],
    valuesOf('Types of the events')
  )
})
