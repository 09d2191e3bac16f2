// The base snapshot of a pruned log without secrets, for publications and replicas.
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { Refusal } from '../../../actors/refusal.js'
import type { LogReader } from '../../../events/log/log.js'
import { prunedIndexOf } from '../../../events/retention.js'
import { publishedBase } from '../../../events/log/snapshots/published-base.js'
import type { BaseSnapshotResources } from '../../history/versions.js'
import { integer } from '../../stream/parameter-values.js'
import { unsigned64 } from '../../wire/query.js'
import type { RequestContext } from '../../wire/request-context.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import { streamed } from '../internal/log.js'
import type { SnapshotSave } from '../snapshot/save-snapshot.js'
import { facts } from './evidence.js'

const TYPE = 'application/octet-stream'
const BASE_INDEX_HEADER = 'X-Service-Base-Index'
const OLDEST_INDEX_HEADER = 'X-Service-Oldest-Index'

interface PublishedBase {
  readonly log: LogReader
  readonly base: BaseSnapshotResources
  readonly saving: SnapshotSave
  readonly logger: Logger
}

const indexIn = ({ query }: RequestContext, name: string, standard: number): number => {
  const text = query.get(name)
  return text === undefined ? standard : integer(text, name)
}

const answer = async (
  request: RequestContext,
  { log, base, saving, logger }: PublishedBase
): Promise<RouteResponse> => {
  const [after, upTo] = [indexIn(request, 'after', 0), indexIn(request, 'upto', Infinity)]
  const index = await base.index()
  const { retention } = request.views.retainedLog
  // Segments are deleted one after another.
  const pruned = retention?.Index === index ? prunedIndexOf(retention) : 0
  const oldest = [OLDEST_INDEX_HEADER, String(Math.max(log.firstIndex, pruned + 1))]
  if (index <= after) return empty(204, oldest)
  if (index > upTo)
    throw new Refusal(
      'evidence.unavailable',
      `The base snapshot is of commit ${index}, after ${upTo}: read a newer checkpoint, and try again`
    )
  saving.requireRoom(request.settings.limits.snapshots_at_once)
  return streamed(
    logger,
    TYPE,
    out =>
      saving.run(async () => {
        const reader = await base.open(index)
        try {
          await pipeline(publishedBase(reader), out)
        } finally {
          await reader.close()
        }
      }),
    [...oldest, BASE_INDEX_HEADER, String(index)]
  )
}

export const baseSnapshotRoutes = (parts: PublishedBase): readonly Route[] => [
  route({
    ...facts,
    access: requires('acl:write'),
    path: '/v1/event/base',
    operationId: 'readBaseSnapshot',
    summary: 'The base snapshot that stands for pruned commits, without secrets',
    query: {
      after: unsigned64('Only a base snapshot of a later commit than this'),
      upto: unsigned64('Only a base snapshot of this commit or an earlier one')
    },
    rawResponse: {
      type: TYPE,
      description: `The base snapshot of commit \`${BASE_INDEX_HEADER}\`. \`${OLDEST_INDEX_HEADER}\` is the oldest commit that is not pruned`
    },
    outcomes: {
      204: { description: 'No commits were pruned, or the base snapshot is not of a later commit' }
    },
    handle: request => {
      request.require('acl', 'write')
      return answer(request, parts)
    }
  })
]
