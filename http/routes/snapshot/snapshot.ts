// Saving and restoring the whole state (spec: state.md §9).
import type { Logger } from 'pino'
import { logArchiveOf } from '../../../actors/snapshot/log-archive.js'
import type { LogFiles } from '../../../actors/snapshot/log-files.js'
import type { SnapshotRestores } from '../../../actors/snapshot/restores.js'
import type { LogReader } from '../../../events/log/log.js'
import type { SnapshotStores } from '../../../projections/restore-views.js'
import { copiesFolder } from '../../../server/settings/settings.js'
import { present } from '../../wire/query.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import type { RequestContext } from '../../wire/request-context.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import { fileRoute, requires, route, type Route } from '../../wire/route.js'
import { addressOf } from '../operator/status.js'
import { decrypted, encryptedFor } from './archive-encryption.js'
import { isClientDisconnect } from './log-tar.js'
import type { SnapshotSave } from './save-snapshot.js'
import { requireKey } from './signer.js'
import { writeArchive, writeLogArchive, writeState } from './write-archive.js'

/** The header with the secret key of an encrypted archive. */
const IDENTITY_HEADER = 'x-service-snapshot-identity'
const GIBIBYTE = 1024 ** 3
const ARCHIVE = { type: 'application/x-gzip', description: 'The archive: a gzipped tar' }
const facts = {
  tag: 'Snapshot',
  path: '/v1/snapshot',
  access: requires('acl:write'),
  tenancy: 'none'
} as const

/** Returns the key that must have signed the archive; undefined for any. @throws Refusal `invalid` */
const pinIn = ({ query }: RequestContext): string | undefined => {
  // An unencoded plus was decoded to a space, which no key contains.
  const pin = query.get('pin')?.replaceAll(' ', '+')
  if (pin !== undefined) requireKey(pin)
  return pin
}

interface SavedLog {
  readonly log: LogReader
  /** The stores beside the log; undefined for a log in memory. */
  readonly beside: SnapshotStores | undefined
  /** Undefined for a log in memory. */
  readonly files: LogFiles | undefined
}

const saveRoute = ({ log, beside, files }: SavedLog, saving: SnapshotSave, logger: Logger): Route =>
  route({
    ...facts,
    method: 'GET',
    process: 'main',
    consistency: 'all',
    operationId: 'saveSnapshot',
    summary: 'Save everything: a signed archive of the log with its history, or of the state alone',
    query: {
      state: present('The state alone, without what led to it'),
      recipient:
        'Public keys of age (age1…), comma-separated: only who has the secret key of one can read the archive'
    },
    rawResponse: ARCHIVE,
    handle: request => {
      request.require('acl', 'write')
      const recipients = request.query.filled('recipient')?.split(',') ?? []
      const isState = request.query.has('state')
      return respondToRead(request, () => {
        saving.requireRoom(request.settings.limits.snapshots_at_once)
        const { views, settings, clock } = request
        const last = views.index
        const by = { id: settings.node_id, address: addressOf(settings), at: clock.now() }
        const write = encryptedFor(recipients, async out => {
          const pages = () => logArchiveOf(log, beside)
          if (!files) return writeArchive({ pages, last, signed: undefined }, by, out)
          return isState
            ? writeState(settings, await files.signing(), by, out)
            : writeLogArchive(files, copiesFolder(settings.data_dir), by, out)
        })
        const answer: RouteResponse = {
          status: 200,
          body: '',
          type: ARCHIVE.type,
          headers: [],
          stream: response => {
            const written = saving.run(async () => response.destroyed || write(response))
            written.catch(error => {
              if (isClientDisconnect(error)) logger.info('a reader of a snapshot disconnected before its end')
              else logger.error({ err: error }, 'a snapshot could not be written completely')
              response.destroy()
            })
          }
        }
        return { index: last, watch: [], answer }
      })
    }
  })

export const snapshotRoutes = (
  savedLog: SavedLog,
  restores: Pick<SnapshotRestores, 'restore'>,
  saving: SnapshotSave,
  logger: Logger
): readonly Route[] => [
  saveRoute(savedLog, saving, logger),
  fileRoute({
    ...facts,
    method: 'PUT',
    bodyLimit: GIBIBYTE,
    rawBody: ARCHIVE,
    idempotency: {
      refused: 'a restore makes many commits, and repeated would take away what was written since'
    },
    operationId: 'restoreSnapshot',
    headers: {
      'X-Service-Snapshot-Identity': 'Secret key of age (AGE-SECRET-KEY-1…) of an encrypted archive'
    },
    summary: 'Make the state what a snapshot says, piece by piece; what was stays in the log',
    query: {
      pin: 'The public key that the archive must be signed with, as `GET /v1/event/checkpoint/key` of the server that saved it tells it'
    },
    admit: request => {
      request.require('acl', 'write')
      pinIn(request)
    },
    handle: async (request, archive) => {
      request.require('acl', 'write')
      const { views } = request
      const bytes = decrypted(archive.read(), request.header(IDENTITY_HEADER))
      await restores.restore(bytes, request.caller, pinIn(request))
      return empty(200, ['X-Service-Index', String(views.index)])
    }
  })
]
