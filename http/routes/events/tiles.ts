// The tree of the log as files of C2SP tlog-tiles: its hashes, which are public, and its leaves.
import { Refusal } from '../../../actors/refusal.js'
import { CommitsPruned } from '../../../events/log/log.js'
import { LeafTooLong } from '../../../events/log/tree/entry-bundles.js'
import { countAt, HASH_BYTES, parseTilePath, TILE_WIDTH } from '../../../events/log/tree/tiles.js'
import type { Settings } from '../../../server/settings/settings.js'
import { quoteValue } from '../../stream/parameter-values.js'
import type { LogEvidence } from '../../wire/log-evidence.js'
import type { RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import { facts } from './evidence.js'

/** A tile never changes. */
const IMMUTABLE = ['Cache-Control', 'public, max-age=31536000, immutable']

/** Only the caller may read an entry bundle. */
const IMMUTABLE_PRIVATE = ['Cache-Control', 'private, max-age=31536000, immutable']

const tile = async (evidence: LogEvidence, path: string): Promise<RouteResponse> => {
  const { tree } = evidence.required.tree
  const name = parseTilePath(path)
  if (!name)
    throw new Refusal('evidence.not-found', `Not found: ${quoteValue(path)} is not the path of a tile`)
  const { level, number, width } = name
  const first = number * TILE_WIDTH
  if (first + width > countAt(level, tree.size))
    throw new Refusal(
      'evidence.not-found',
      `Not found: the tree has ${tree.size} leaves, and no tile ${path} yet`
    )
  const body = await tree.hashes(level, first, first + width)
  return { status: 200, body, type: 'application/octet-stream', headers: IMMUTABLE }
}

const entries = async (
  evidence: LogEvidence,
  path: string,
  headers: readonly string[]
): Promise<RouteResponse> => {
  const { tree, bundles } = evidence.required
  const name = parseTilePath(`0/${path}`)
  if (!name)
    throw new Refusal(
      'evidence.not-found',
      `Not found: ${quoteValue(path)} is not the path of an entry bundle`
    )
  const { number, width } = name
  if (number * TILE_WIDTH + width > tree.size)
    throw new Refusal(
      'evidence.not-found',
      `Not found: the tree has ${tree.size} leaves, and no entry bundle ${path} yet`
    )
  try {
    const body = await bundles.read(number, width)
    return { status: 200, body, type: 'application/octet-stream', headers }
  } catch (error) {
    if (error instanceof LeafTooLong) throw new Refusal('evidence.not-found', `Not found: ${error.message}`)
    if (error instanceof CommitsPruned)
      throw new Refusal(
        'evidence.gone',
        'The commits of this bundle were pruned before their leaves were kept'
      )
    throw error
  }
}

export const tileRoutes = (evidence: LogEvidence, { log }: Pick<Settings, 'log'>): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/event/tile/*tile',
    operationId: 'readTile',
    summary: 'Hashes of the tree, as C2SP tlog-tiles lays them out: LEVEL/NUMBER, or LEVEL/NUMBER.p/WIDTH',
    rawResponse: {
      type: 'application/octet-stream',
      description: `Consecutive hashes of ${HASH_BYTES} bytes: ${TILE_WIDTH}, or the width in the path`
    },
    handle: request => tile(evidence, request.param('tile'))
  }),
  route({
    ...facts,
    access: requires('operator:read', 'unless `log.public_entries` is on'),
    path: '/v1/event/tile/entries/*bundle',
    operationId: 'readEntryBundle',
    summary: 'Leaves of the tree, as C2SP tlog-tiles lays them out: NUMBER, or NUMBER.p/WIDTH',
    rawResponse: {
      type: 'application/octet-stream',
      description: `Consecutive leaves, each behind its length of 16 bits: ${TILE_WIDTH}, or the width in the path`
    },
    outcomes: { 410: { description: 'The commits were pruned before their leaves were kept' } },
    handle: request => {
      const isPublic = log.public_entries
      if (!isPublic) request.require('operator', 'read')
      return entries(evidence, request.param('bundle'), isPublic ? IMMUTABLE : IMMUTABLE_PRIVATE)
    }
  })
]
