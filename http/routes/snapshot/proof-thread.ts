// A thread of its own that proves an archive: it replays it into read models of its own, each event checked against the lifecycles,
// and then tells what exists in it.
import 'reflect-metadata'
import { parentPort, workerData } from 'node:worker_threads'
import { Activations } from '../../../actors/activations.js'
import { lifecycles } from '../../../actors/aggregates.js'
import { LastEvents } from '../../../actors/snapshot/last-events.js'
import { MOST_CHARACTERS, MOST_EVENTS } from '../../../actors/snapshot/topics.js'
import type { Event } from '../../../events/envelope.js'
import { Views } from '../../../projections/views.js'
import { readCiphered } from '../../wire/bodies/ciphered-file.js'
import { ArchiveTooLarge, BadArchive } from './format.js'
import type { ProofMessage, ProofQuestion, ProofTask } from './proof-messages.js'
import { readArchive } from './read-archive.js'

/** Names that are told at once. */
const MOST_NAMES = 2000

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const say = (message: ProofMessage): void => parentPort?.postMessage(message)

const replay = async ({
  file,
  key,
  limits,
  settings
}: ProofTask): Promise<{ index: number; last: LastEvents }> => {
  const trial = new Views(settings)
  const last = new LastEvents(lifecycles)
  for await (const commit of readArchive(readCiphered(file, key), limits)) {
    try {
      new Activations(lifecycles, trial).takeAll(commit.Events)
      trial.apply(commit)
      last.apply(commit)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`the snapshot cannot be replayed: commit ${commit.Index}: ${reason}`, { cause: error })
    }
  }
  return { index: trial.index, last }
}

/** As many as make a piece: of one topic, and bounded. */
const pieceOf = (events: readonly Event[], from: number): readonly Event[] => {
  const piece: Event[] = []
  let size = 0
  for (let event = events[from]; event; event = events[from + piece.length]) {
    if (event.Topic !== (piece[0] ?? event).Topic || piece.length === MOST_EVENTS || size >= MOST_CHARACTERS)
      break
    piece.push(event)
    size += JSON.stringify(event).length
  }
  return piece
}

const refusal = (error: unknown): ProofMessage => {
  const reason = error instanceof Error ? error.message : String(error)
  return {
    kind: 'refused',
    reason: error instanceof BadArchive ? `failed to decompress snapshot: ${reason}` : reason,
    isTooLarge: error instanceof ArchiveTooLarge
  }
}

const prove = async (task: ProofTask): Promise<void> => {
  const { index, last } = await replay(task)
  const names = last.names()
  const events = last.inMakingOrder()
  parentPort?.on('message', ({ of, from }: ProofQuestion) => {
    if (of === 'names') say({ kind: 'names', items: names.slice(from, from + MOST_NAMES) })
    else say({ kind: 'events', items: pieceOf(events, from) })
  })
  say({ kind: 'proved', index })
}

const task: ProofTask = workerData
prove(task).catch(error => say(refusal(error)))
