// The stored log of this server, for operators.
import type { LogMaintenance, LogReader, PrunableSegment } from '../../../events/log/log.js'
import { json } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import * as Type from 'typebox'

const index = (description: string) => Type.Integer({ description })

const segment = Type.Object(
  {
    FirstIndex: index('Of its first commit'),
    LastIndex: index('Of its last commit; of the newest segment, of the newest commit on disk'),
    Bytes: Type.Optional(
      Type.Integer({ description: 'That it takes on disk; absent while it is being written' })
    ),
    State: Type.String({ description: 'writing, sealed, or compressed' })
  },
  { $id: 'LogSegment' }
)

const operatorLog = Type.Object(
  {
    FirstIndex: index('The oldest commit that is kept; a base stands for those before it'),
    CommitIndex: index('The newest commit that was decided'),
    DurableIndex: index('The newest commit that is on disk'),
    Segments: Type.Array(segment, { description: 'The oldest first' })
  },
  {
    $id: 'OperatorLog',
    examples: [
      {
        FirstIndex: 1,
        CommitIndex: 41_207,
        DurableIndex: 41_207,
        Segments: [
          { FirstIndex: 1, LastIndex: 40_112, Bytes: 33_554_432, State: 'sealed' },
          { FirstIndex: 40_113, LastIndex: 41_207, State: 'writing' }
        ]
      }
    ]
  }
)

type ShownLog = Pick<LogReader & LogMaintenance, 'firstIndex' | 'durableIndex' | 'prunableSegments'>

interface Kept {
  readonly first: number
  readonly pieces: readonly PrunableSegment[]
}

/** Retries if the oldest segments are pruned meanwhile. */
const keptBy = async (log: ShownLog): Promise<Kept> => {
  const first = log.firstIndex
  try {
    const pieces = await log.prunableSegments()
    if (first === log.firstIndex) return { first, pieces }
  } catch (error) {
    if (first === log.firstIndex) throw error
  }
  return keptBy(log)
}

const segmentsOf = ({ first, pieces }: Kept, durableIndex: number) => {
  const sealed = pieces.map(({ last, bytes, isPacked }, at) => ({
    FirstIndex: at === 0 ? first : (pieces[at - 1]?.last ?? 0) + 1,
    LastIndex: last,
    Bytes: bytes,
    State: isPacked ? 'compressed' : 'sealed'
  }))
  const next = (pieces.at(-1)?.last ?? first - 1) + 1
  return durableIndex < next
    ? sealed
    : [...sealed, { FirstIndex: next, LastIndex: durableIndex, State: 'writing' }]
}

export const operatorLogRoutes = (log: ShownLog): readonly Route[] => [
  route({
    tag: 'Operator',
    method: 'GET',
    path: '/v1/operator/log',
    process: 'main',
    operationId: 'readLog',
    summary: 'The log of the server that is asked: its indexes, and the segments that it consists of',
    access: requires('operator:read'),
    tenancy: 'none',
    runs: 'here',
    refusesUnknown: true,
    response: operatorLog,
    handle: async request => {
      request.require('operator', 'read')
      const kept = await keptBy(log)
      const { durableIndex } = log
      return json({
        FirstIndex: kept.first,
        CommitIndex: request.views.index,
        DurableIndex: durableIndex,
        Segments: segmentsOf(kept, durableIndex)
      })
    }
  })
]
