// Saving and restoring the whole state (spec: state.md §9).
import type { Logger } from 'pino'
import type { LogFiles, SignedFile } from '../../../actors/snapshot/log-files.js'
import type { SnapshotRestores } from '../../../actors/snapshot/restores.js'
import type { EventLog } from '../../../events/log/log.js'
import type { SnapshotStores } from '../../../projections/restore-views.js'
import { logArchiveOf } from '../../../actors/snapshot/log-archive.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import type { RequestContext } from '../../wire/request-context.js'
import { present } from '../../wire/query.js'
import { copiesFolder, logFolder, viewSettings, type Settings } from '../../../server/settings/settings.js'
import { fileRoute, requires, route, type Route } from '../../wire/route.js'
import { isClientDisconnect, tarOf, withLogCopy, type TarFile } from './log-tar.js'
import type { SnapshotSave } from './save-snapshot.js'
import { requireKey } from './signer.js'
import { addressOf } from '../operator/status.js'
import { PassThrough, Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'
import { invalid } from '../../../actors/refusal.js'
import { createHash } from 'node:crypto'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import { META, STATE, metaOf, type Writer, STATE_FORMAT, type StateHead } from './format.js'
import { withChecksum, fileEntry, sumsEntry, textEntry } from './tar.js'
import type { Commit } from '../../../events/envelope.js'
import { historyErased } from '../../../events/erasure.js'
import { formatTime } from '../../../events/time.js'
import { ThreadArchive } from './thread-archive.js'
import { setImmediate } from 'node:timers/promises'

/** Reads pages of commits from the first one at each call. */
type LogPages = () => AsyncIterable<readonly Commit[]>

/** The state is written in pieces of about so many characters. */
const PIECE_CHARACTERS = 64 * 1024

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Called with the number of each written commit. */
type OnCommit = (count: number) => void

async function* lines(pages: LogPages, last: number, onCommit: OnCommit): AsyncGenerator<string> {
  const head: StateHead = { Annals: STATE_FORMAT }
  yield line(head)
  let count = 0
  for await (const page of pages())
    for (const { Index, Time, By, Events } of page) {
      if (Index > last) return
      // A log that has let commits go has fewer than its newest index says.
      onCommit(++count)
      yield line({ Index: count, Time, By, Events: Events.length })
      for (const event of Events) yield line(event)
    }
}

/** Returns the bytes of the state in chunks, the same at each call. Other requests run between two chunks. */
async function* stateChunks(
  pages: LogPages,
  last: number,
  onCommit: OnCommit = () => {}
): AsyncGenerator<Buffer> {
  let text = ''
  for await (const piece of lines(pages, last, onCommit)) {
    text += piece
    if (text.length < PIECE_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
    await setImmediate()
  }
  yield Buffer.from(text)
}

/** What is written. */
interface StateContent {
  readonly pages: LogPages
  /** Index of the last commit. */
  readonly last: number
  /** Undefined for an unsigned archive. */
  readonly signed: SignedFile | undefined
}

const fillWithState = async (
  archive: Pack,
  { pages, last, signed }: StateContent,
  by: Writer
): Promise<void> => {
  // A tar entry begins with its size.
  let Size = 0
  let Index = 0
  for await (const chunk of stateChunks(pages, last, count => (Index = count))) {
    if (archive.destroyed) return
    Size += chunk.length
  }
  const metaText = metaOf(Index, Size, by, signed?.vkey)
  await textEntry(archive, META, metaText)
  const sum = createHash('sha256')
  await pipeline(withChecksum(stateChunks(pages, last), sum), fileEntry(archive, STATE, Size))
  await sumsEntry(archive, metaText, sum.digest('hex'), signed)
  archive.finalize()
}

/** Writes the commits up to the index `last` as an archive, as fast as `out` takes it. */
export const writeArchive = async (written: StateContent, by: Writer, out: Writable): Promise<void> => {
  const archive = pack()
  await Promise.all([
    pipeline(archive, createGzip(), out),
    fillWithState(archive, written, by).catch(error => archive.destroy(error))
  ])
}

/** Writes what a log has made as an archive, without what led to it. */
const By = { AccessorID: '', Address: '', RequestID: '', Command: 'SaveState' }

/**
 * Writes the last events of everything that exists, in commits numbered from 1, and the orders to erase. A thread reads the log for it, and holds them meanwhile.
 * @throws Refusal `too-large` when they do not fit into its memory
 */
const writeState = async (
  settings: Settings,
  signed: SignedFile,
  by: Writer,
  out: Writable
): Promise<void> => {
  const gone = new AbortController()
  out.once('close', () => gone.abort())
  const task = {
    archive: undefined,
    folder: logFolder(settings.data_dir),
    encryptionKey: settings.encryption.key,
    settings: viewSettings(settings)
  }
  const state = await ThreadArchive.prove(task, gone.signal)
  const Time = formatTime(by.at)
  const pages = async function* (): AsyncGenerator<readonly Commit[]> {
    let Index = 0
    for await (const Events of state.events()) yield [{ Index: ++Index, Time, By, Events }]
    // By them a restore tells that what it brings was made after them.
    if (state.erasures.length > 0) {
      const Events = state.erasures.map((erasure, number) =>
        historyErased(`${Index + 1}.${number + 1}`, erasure)
      )
      yield [{ Index: ++Index, Time, By, Events }]
    }
  }
  try {
    await writeArchive({ pages, last: Infinity, signed }, by, out)
  } finally {
    await state.close()
  }
}

/** Writes a log as an archive: its files at one commit, so that a restored server continues the same log. */
async function* piecesOf(archive: Pack): AsyncGenerator<Buffer> {
  for await (const piece of archive) if (Buffer.isBuffer(piece)) yield piece
}

/** A copy of a log with its signer. */
interface LogCopy {
  readonly signed: SignedFile
  readonly index: number
  readonly files: readonly TarFile[]
}

const fillWithLog = async (archive: Pack, { index, files, signed }: LogCopy, by: Writer): Promise<void> => {
  const { size, bytes } = tarOf(files)
  const meta = metaOf(index, size, by, signed.vkey)
  await textEntry(archive, META, meta)
  const sum = createHash('sha256')
  await pipeline(withChecksum(piecesOf(bytes), sum), fileEntry(archive, STATE, size))
  await sumsEntry(archive, meta, sum.digest('hex'), signed)
  archive.finalize()
}

/** Writes the log as of now, as fast as `out` takes it. A copy of its files stands below `folder` meanwhile. */
const writeLogArchive = (log: LogFiles, folder: string, by: Writer, out: Writable): Promise<void> =>
  withLogCopy(log, folder, async (files, index) => {
    const signed = await log.signing()
    const archive = pack()
    await Promise.all([
      pipeline(archive, createGzip(), out),
      fillWithLog(archive, { index, files, signed }, by).catch(error => archive.destroy(error))
    ])
  })

/** Where the secret key of an archive is given. */
const IDENTITY_HEADER = 'x-service-snapshot-identity'

/** @throws Refusal `invalid` when one of the recipients is none */
const encrypterFor = (recipients: readonly string[]): Encrypter => {
  const encrypter = new Encrypter()
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw invalid(`Invalid recipient ${JSON.stringify(recipient)}: it must be a public key of age, age1…`)
    }
  return encrypter
}

/** Writes to somewhere. */
type Write = (out: Writable) => Promise<void>

/**
 * What writes the same, encrypted for recipients; for none, as it is.
 * @throws Refusal `invalid` when one of the recipients is none
 */
const encryptedFor = (recipients: readonly string[], write: Write): Write => {
  if (recipients.length === 0) return write
  const encrypter = encrypterFor(recipients)
  return async out => {
    const plain = new PassThrough()
    const encrypted = await encrypter.encrypt(Readable.toWeb(plain))
    await Promise.all([
      pipeline(Readable.fromWeb(encrypted), out),
      write(plain).catch((error: unknown) => {
        plain.destroy()
        throw error
      })
    ])
  }
}

/**
 * What an archive holds that was encrypted.
 * @param identity a secret key of age; undefined for an archive as it is
 * @throws Refusal `invalid` when it is none; so does reading, when the archive was not encrypted for it, or was changed
 */
const decrypted = (bytes: Readable, identity: string | undefined): Readable => {
  if (identity === undefined) return bytes
  const decrypter = new Decrypter()
  try {
    decrypter.addIdentity(identity)
  } catch {
    throw invalid('Invalid X-Service-Snapshot-Identity: it must be a secret key of age, AGE-SECRET-KEY-1…')
  }
  return Readable.from(opened(decrypter, bytes), { objectMode: false })
}

async function* opened(decrypter: Decrypter, bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* Readable.fromWeb(await decrypter.decrypt(Readable.toWeb(bytes)))
  } catch {
    throw invalid('The snapshot cannot be decrypted with X-Service-Snapshot-Identity, or was changed')
  } finally {
    bytes.destroy()
  }
}

const GIBIBYTE = 1024 ** 3
const ARCHIVE = { type: 'application/x-gzip', description: 'The archive: a gzipped tar' }
const facts = {
  tag: 'Snapshot',
  path: '/v1/snapshot',
  access: requires('acl:write'),
  tenancy: 'none'
} as const

/** The key that an archive must be signed with; undefined for any. @throws Refusal `invalid` */
const pinIn = ({ query }: RequestContext): string | undefined => {
  // A plus that was not encoded has become a space, which no key has.
  const pin = query.get('pin')?.replaceAll(' ', '+')
  if (pin !== undefined) requireKey(pin)
  return pin
}

/** What is saved. */
interface SavedLog {
  readonly log: EventLog
  /** What stands beside it; undefined where it is kept nowhere. */
  readonly beside: SnapshotStores | undefined
  /** Undefined where it is kept in memory. */
  readonly files: LogFiles | undefined
}

export const snapshotRoutes = (
  { log, beside, files }: SavedLog,
  restores: Pick<SnapshotRestores, 'restore'>,
  saving: SnapshotSave,
  logger: Logger
): readonly Route[] => {
  return [
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
                if (isClientDisconnect(error)) logger.info('a reader of a snapshot went away before its end')
                else logger.error({ err: error }, 'a snapshot could not be written to its end')
                response.destroy()
              })
            }
          }
          return { index: last, watch: [], answer }
        })
      }
    }),
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
}
