// Orders to erase something from the log, in bodies and answers.
import * as Type from 'typebox'
import { strict, tenancyFields, text } from './strict.js'

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

export const erasureOrdered = Type.Object(
  {
    Index: Type.Integer({ description: 'Of the commit that orders it; its number among the erasures' }),
    UpTo: Type.Integer({ description: 'Index of the newest commit that it may erase of' }),
    State: Type.String({ description: '`pending`: it is carried out in the background' }),
    See: Type.String({ description: 'Where to see that it is done' })
  },
  {
    $id: 'ErasureOrdered',
    examples: [{ Index: 42, UpTo: 41, State: 'pending', See: '/v1/event/erasures' }]
  }
)

export const erasureDryRun = Type.Object(
  {
    DryRun: Type.Literal(true),
    UpTo: Type.Integer({ description: 'Index of the newest commit that it would look at' }),
    Commits: Type.Integer({ description: 'Of which something would be erased, or is already' }),
    Versions: Type.Integer({ description: 'Events whose payloads would be erased' })
  },
  { $id: 'ErasureTrial', examples: [{ DryRun: true, UpTo: 41, Commits: 3, Versions: 3 }] }
)

export const erasureEntry = Type.Object(
  {
    Index: Type.Integer({ description: 'Of the commit that orders it' }),
    State: Type.Union([Type.Literal('pending'), Type.Literal('running'), Type.Literal('done')], {
      description: 'Of this server'
    }),
    Parts: Type.Integer({ description: 'Parts of commits that it has erased since its start' }),
    UpTo: Type.Integer(),
    Topic: Type.Optional(Type.String()),
    Namespace: Type.Optional(Type.String()),
    Partition: Type.Optional(Type.String()),
    Key: Type.Optional(Type.String()),
    Prefix: Type.Optional(Type.String()),
    Scope: Type.Optional(Type.String()),
    Part: Type.Optional(Type.String()),
    Accessor: Type.Optional(Type.String())
  },
  {
    $id: 'Erasure',
    examples: [
      {
        Index: 42,
        State: 'done',
        Parts: 3,
        UpTo: 41,
        Topic: 'KV',
        Namespace: 'default',
        Partition: 'default',
        Prefix: 'customers/4711/'
      }
    ]
  }
)
