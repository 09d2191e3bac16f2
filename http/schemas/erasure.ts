// Erasures in bodies and responses.
import * as Type from 'typebox'
import { strict, tenancyFields, text, sample, view } from './view.js'

export const erasureBody = strict(
  {
    Topic: text('Topic of the events, as the event stream names it; with Key or Prefix'),
    Key: text('Key of the resource'),
    Prefix: text('Common prefix of the keys'),
    ...tenancyFields,
    Scope: Type.Optional(
      Type.Literal('history', { description: 'Leave what is still true, and erase what was superseded' })
    ),
    Part: Type.Optional(
      Type.Literal('who', { description: 'In place of a topic: addresses and reasons of an accessor' })
    ),
    Accessor: text('AccessorID of whom; with Part'),
    Reason: text('Why, which has to be said: kept with the commit; 1 to 512 printable characters')
  },
  {
    $id: 'ErasureOrder',
    examples: [{ Topic: 'KV', Prefix: 'customers/4711/', Reason: 'request 2026-117' }]
  }
)

export const erasureOrdered = view('ErasureOrdered', {
  Index: sample.integer(42, 'Of the commit that orders it; its number among the erasures'),
  UpTo: sample.integer(41, 'Index of the newest commit that it may erase of'),
  State: sample.text('pending', '`pending`: it is carried out in the background'),
  See: sample.text('/v1/event/erasures', 'Where to see that it is done')
})

export const erasureDryRun = view('ErasureTrial', {
  DryRun: sample.of(true, Type.Literal(true)),
  UpTo: sample.integer(41, 'Index of the newest commit that it would look at'),
  Commits: sample.integer(3, 'Of which something would be erased, or is already'),
  Versions: sample.integer(3, 'Events whose payloads would be erased')
})

const states = Type.Union(
  ['pending', 'running', 'done'].map(state => Type.Literal(state)),
  { description: 'Of this server' }
)
const optionalText = Type.Optional(Type.String())

export const erasureEntry = view('Erasure', {
  Index: sample.integer(42, 'Of the commit that orders it'),
  State: sample.of('done', states),
  Parts: sample.integer(3, 'Parts of commits that it has erased since its start'),
  UpTo: sample.integer(41),
  Topic: sample.of('KV', optionalText),
  Namespace: sample.of('default', optionalText),
  Partition: sample.of('default', optionalText),
  Key: optionalText,
  Prefix: sample.of('customers/4711/', optionalText),
  Scope: optionalText,
  Part: optionalText,
  Accessor: optionalText
})
