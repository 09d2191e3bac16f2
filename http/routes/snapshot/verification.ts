// The work of the thread that verifies an archive. It replays the archive into its own read models, checks each event against the
// lifecycles, and then returns the existing resources.
import { assertAllPossible } from '../../../actors/unit-of-work.js'
import { lifecycles } from '../../../actors/aggregates.js'
import type { ArchiveFacts } from '../../../actors/snapshot/archive-store.js'
import { NewestEvents } from '../../../actors/snapshot/newest-events.js'
import { MAX_CHARACTERS, MAX_EVENTS } from '../../../actors/snapshot/restore-order.js'
import { logArchiveOf } from '../../../actors/snapshot/log-archive.js'
import type { Commit, Event } from '../../../events/envelope.js'
import { LogUnusable } from '../../../events/log/log.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { Views } from '../../../projections/read-models.js'
import { snapshotStoresIn } from '../../../projections/snapshot-stores.js'
import { readEncrypted } from '../../wire/bodies/encrypted-file.js'
import { ArchiveTooLarge, BadArchive } from './format.js'
import type {
  ArchiveFile,
  VerificationMessage,
  VerificationQuery,
  VerificationTask
} from './verification-messages.js'
import { readArchive } from './read-archive.js'
import { messageOf } from '../../../events/errors.js'

/** Maximum number of names in a message. */
const MOST_NAMES = 2000

/** The thread's end of its channel. */
interface VerificationPort {
  postMessage(message: VerificationMessage): void
  on(name: 'message', take: (query: VerificationQuery) => void): void
}

/** Reads the commits of the unpacked log, renumbered from 1 if the first ones were pruned. @throws BadArchive */
async function* commitsOf({ folder, encryptionKey }: VerificationTask): AsyncGenerator<Commit> {
  const key = encryptionKey === undefined ? undefined : Buffer.from(encryptionKey, 'base64')
  let log: SegmentEventLog | undefined
  try {
    log = await SegmentEventLog.open({ path: folder, readOnly: true, key })
    let Index = 0
    for await (const page of logArchiveOf(log, snapshotStoresIn(log)))
      for (const commit of page) yield { ...commit, Index: ++Index }
  } catch (error) {
    throw error instanceof LogUnusable ? new BadArchive(error.message, { cause: error }) : error
  } finally {
    await log?.close()
  }
}

interface Proved extends ArchiveFacts {
  readonly last: NewestEvents
}

const replay = async (task: VerificationTask): Promise<Proved> => {
  const { archive, folder, settings } = task
  const trial = new Views(settings)
  const last = new NewestEvents(lifecycles)
  let hasLog = false
  const commits = (): AsyncGenerator<Commit> => {
    hasLog = true
    return commitsOf(task)
  }
  const read = (kept: ArchiveFile): AsyncGenerator<Commit> =>
    readArchive(readEncrypted(kept.file, kept.key), kept.limits, { folder, keys: kept.keys, commits })
  for await (const commit of archive ? read(archive) : commits()) {
    try {
      assertAllPossible(lifecycles, trial, commit.Events)
      trial.apply(commit)
      last.apply(commit)
    } catch (error) {
      const reason = messageOf(error)
      throw new Error(`the snapshot cannot be replayed: commit ${commit.Index}: ${reason}`, { cause: error })
    }
  }
  const erasures = trial.erasures.list.map(({ erasure }) => erasure)
  return { index: trial.index, last, hasLog, erasures }
}

/** Returns a bounded number of events of one topic. */
const pieceOf = (events: readonly Event[], from: number): readonly Event[] => {
  const piece: Event[] = []
  let size = 0
  for (let event = events[from]; event; event = events[from + piece.length]) {
    if (event.Topic !== (piece[0] ?? event).Topic || piece.length === MAX_EVENTS || size >= MAX_CHARACTERS)
      break
    piece.push(event)
    size += JSON.stringify(event).length
  }
  return piece
}

const refusal = (error: unknown): VerificationMessage => {
  const reason = messageOf(error)
  return {
    kind: 'refused',
    reason: error instanceof BadArchive ? `failed to decompress snapshot: ${reason}` : reason,
    isTooLarge: error instanceof ArchiveTooLarge
  }
}

const prove = async (task: VerificationTask, port: VerificationPort): Promise<VerificationMessage> => {
  const { index, last, hasLog, erasures } = await replay(task)
  const names = last.names()
  const events = last.inCreationOrder()
  port.on('message', ({ of, from }) => {
    if (of === 'names') port.postMessage({ kind: 'names', items: names.slice(from, from + MOST_NAMES) })
    else port.postMessage({ kind: 'events', items: pieceOf(events, from) })
  })
  return { kind: 'proved', index, hasLog, erasures }
}

/** Verifies an archive, answers whether it can be restored, and then the questions about it. */
export const serveVerification = async (task: VerificationTask, port: VerificationPort): Promise<void> =>
  port.postMessage(await prove(task, port).catch(refusal))
