// The log for servers of the cluster that start or lag behind the shared log.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import type { LogFiles } from '../../../actors/snapshot/log-files.js'
import { Refusal } from '../../../actors/refusal.js'
import type { LogReader } from '../../../events/log/log.js'
import type { SnapshotStores } from '../../../projections/restore-views.js'
import { copiesFolder } from '../../../server/settings/settings.js'
import type { RouteResponse } from '../../wire/response.js'
import { route, type Route } from '../../wire/route.js'
import { requireServer, SERVER_FACTS, PRUNED_STATUS } from './cluster.js'
import { isClientDisconnect, tarOf, withLogCopy } from '../snapshot/log-tar.js'
import type { SnapshotSave } from '../snapshot/save-snapshot.js'

export const LOG_PATH = '/v1/internal/log'
export const LOG_FILES_PATH = '/v1/internal/log/files'
export const LOG_BASES_PATH = '/v1/internal/log/bases'

const DIGITS = /^\d{1,16}$/
const facts = { ...SERVER_FACTS, method: 'GET' } as const

/** @throws Refusal `invalid` */
const indexIn = (text: string, field: string): number => {
  const index = Number(text)
  if (!DIGITS.test(text) || index < 1)
    throw new Refusal('cluster.invalid', `Invalid ${field}: it must be the index of a commit`)
  return index
}

interface InternalLog {
  readonly log: LogReader
  /** Undefined for a log in memory. */
  readonly files: LogFiles | undefined
  readonly snapshots: SnapshotStores | undefined
  readonly saving: SnapshotSave
  readonly logger: Logger
}

export const streamed = (
  logger: Logger,
  type: string,
  write: (out: NodeJS.WritableStream) => Promise<void>,
  headers: readonly string[] = []
): RouteResponse => ({
  status: 200,
  body: '',
  type,
  headers,
  stream: response => {
    write(response).catch(error => {
      if (!isClientDisconnect(error)) logger.warn({ err: error }, 'the transfer of the log failed')
      response.destroy()
    })
  }
})

export const internalLogRoutes = ({
  log,
  files,
  snapshots,
  saving,
  logger
}: InternalLog): readonly Route[] => {
  return [
    route({
      ...facts,
      path: LOG_PATH,
      operationId: 'readInternalLog',
      summary: 'For servers of the cluster: the stored records of the log from a commit',
      query: { from: 'Index of the first commit' },
      rawResponse: { type: 'application/octet-stream', description: 'The consecutive records' },
      outcomes: { [PRUNED_STATUS]: { description: 'The commit was pruned' } },
      handle: request => {
        requireServer(request, 'ask for its log')
        const from = indexIn(request.query.filled('from') ?? '', 'from')
        // Commits before a base snapshot may be partly erased and cannot be replayed.
        const base = request.views.retainedLog.retention?.Index ?? 0
        if (from < log.firstIndex || from <= base)
          throw new Refusal('cluster.gone', `The log does not go back to commit ${from}: copy its files`)
        return streamed(logger, 'application/octet-stream', out =>
          pipeline(Readable.from(bytesFrom(log, from), { objectMode: false }), out)
        )
      }
    }),
    route({
      ...facts,
      path: LOG_FILES_PATH,
      operationId: 'readInternalLogFiles',
      summary: 'For servers of the cluster: the files of the log',
      rawResponse: { type: 'application/x-tar', description: 'The files of the log, in a tar' },
      handle: request => {
        requireServer(request, 'ask for its log')
        if (!files) throw new Refusal('cluster.not-found', 'The log of this server is kept in no files')
        saving.requireRoom(request.settings.limits.snapshots_at_once)
        const folder = copiesFolder(request.settings.data_dir)
        return streamed(logger, 'application/x-tar', out =>
          saving.run(() => withLogCopy(files, folder, copied => pipeline(tarOf(copied).bytes, out)))
        )
      }
    }),
    route({
      ...facts,
      path: `${LOG_BASES_PATH}/:Index`,
      operationId: 'readInternalLogBase',
      summary: 'For servers of the cluster: the base snapshot that replaces pruned or partly erased commits',
      rawResponse: { type: 'application/octet-stream', description: 'The file' },
      handle: async request => {
        requireServer(request, 'ask for its log')
        const pieces = await snapshots?.bases.soundPieces(indexIn(request.param('Index'), 'Index'))
        if (!pieces) throw new Refusal('cluster.not-found', 'This server has no such base')
        return streamed(logger, 'application/octet-stream', out => pipeline(pieces, out))
      }
    })
  ]
}

async function* bytesFrom(log: LogReader, from: number): AsyncGenerator<Buffer> {
  for await (const page of log.records(from)) yield Buffer.concat(page.map(({ bytes }) => bytes))
}
