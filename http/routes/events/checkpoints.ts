// The signed checkpoints of the log, the key that signs them, and the tiles of its tree: for anybody, since they tell nothing but hashes.
import { Refusal } from '../../../actors/refusal.js'
import { countAt, HASH_BYTES, parseTilePath, TILE_WIDTH } from '../../../events/log/tree/tiles.js'
import type { LogEvidence } from '../../wire/log-evidence.js'
import { quoteValue } from '../../stream/parameter-values.js'
import { plain, type RouteResponse } from '../../wire/response.js'
import { unsigned64 } from '../../wire/query.js'
import { noToken, route, type Route } from '../../wire/route.js'
import { countIn, newestOf, reach } from './tree-sizes.js'

const facts = {
  process: 'main',
  method: 'GET',
  tag: 'Events',
  access: noToken,
  tenancy: 'none',
  refusesUnknown: true
} as const

/** It is another one a second later. */
const NOT_KEPT = ['Cache-Control', 'no-cache']
/** What is under a path is the same for ever. */
const IMMUTABLE = ['Cache-Control', 'public, max-age=31536000, immutable']

const EXAMPLE = `annals/4f1d…/1
42
kGmUQwOOVzTi/tzqyKqqTJzbqJV0pqLPkCUqaZsBy8A=

— annals/4f1d…/1 mFkq…
`

const tile = async (evidence: LogEvidence, path: string): Promise<RouteResponse> => {
  const { tree } = evidence.required.tree
  const name = parseTilePath(path)
  if (!name) throw new Refusal('missing', `Not found: ${quoteValue(path)} is not the path of a tile`)
  const { level, number, width } = name
  const first = number * TILE_WIDTH
  if (first + width > countAt(level, tree.size))
    throw new Refusal('missing', `Not found: the tree has ${tree.size} leaves, and no tile ${path} yet`)
  const body = await tree.hashes(level, first, first + width)
  return { status: 200, body, type: 'application/octet-stream', headers: IMMUTABLE }
}

export const checkpointRoutes = (evidence: LogEvidence): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/event/checkpoint',
    operationId: 'readCheckpoint',
    summary: 'The signed checkpoint of the log: how many commits it has, and the root of the tree over them',
    query: { size: unsigned64('One of so many commits; the newest one unless given') },
    rawResponse: {
      type: 'text/plain',
      description: 'A note as C2SP tlog-checkpoint and signed-note say',
      example: EXAMPLE
    },
    handle: async request => {
      const open = evidence.required
      const size = countIn(request, 'size')
      if (size !== undefined) await reach(open, size, 'size')
      const { text } = size === undefined ? await newestOf(open) : await open.checkpoints.at(size)
      return plain(200, text, NOT_KEPT)
    }
  }),
  route({
    ...facts,
    path: '/v1/event/checkpoint/key',
    operationId: 'readCheckpointKey',
    summary: 'The public key that signs the checkpoints',
    rawResponse: {
      type: 'text/plain',
      description: 'A line as C2SP signed-note says: name, hash and key',
      example: 'annals/4f1d…/1+98592a9f+AXr…'
    },
    handle: () => plain(200, `${evidence.required.vkey}\n`, NOT_KEPT)
  }),
  route({
    ...facts,
    path: '/v1/event/tile/*tile',
    operationId: 'readTile',
    summary: 'Hashes of the tree, as C2SP tlog-tiles lays them out: LEVEL/NUMBER, or LEVEL/NUMBER.p/WIDTH',
    rawResponse: {
      type: 'application/octet-stream',
      description: `Hashes of ${HASH_BYTES} bytes, one behind the other: ${TILE_WIDTH}, or as many as the width says`
    },
    handle: request => tile(evidence, request.param('tile'))
  })
]
