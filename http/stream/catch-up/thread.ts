// The thread that catches up: it reads the files of the log, filters, and hands finished pieces over.
import { parentPort, workerData, type TransferListItem } from 'node:worker_threads'
import { NodeDisk } from '../../../events/log/node-disk.js'
import { BoundedReader, type SearchPosition } from '../../../events/log/segments/bounded-reader.js'
import type { ReadableExtent } from '../../../events/stored.js'
import { CommitsPruned } from '../../../events/log/log.js'
import { authorizerOf, type Authorizer } from '../../../projections/acl/authorizer.js'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { fromMessage } from '../../../projections/stream/subscription.js'
import { CatchUpEngine, type EngineReading } from './engine.js'
import type { ThreadResponse, ThreadStart, ThreadTask } from './messages.js'
import { CpuShare } from './cpu-share.js'
import { WriteActivity } from './write-activity.js'
import { messageOf } from '../../../events/errors.js'

const { path, share, writers: memory, pieceBytes }: ThreadStart = workerData
const writers = new WriteActivity(memory)
const reader = new BoundedReader(new NodeDisk(path))
const engine = new CatchUpEngine<ReadableExtent>({
  pages: search => {
    let place: SearchPosition | undefined
    return async (from, extent) => {
      const page = await reader.page(from, extent, search, place)
      place = page.place
      return page
    }
  },
  // Not only what it selects: records are found in what was read, and pieces change hands, between the slices.
  share: new CpuShare(
    share,
    () => writers.areActive,
    () => performance.eventLoopUtilization().active
  ),
  pieceBytes
})
const readings = new Map<number, EngineReading<ReadableExtent>>()
const authorizers = new Map<number, Authorizer>()

const say = (answer: ThreadResponse, transfer: readonly TransferListItem[] = []): void =>
  parentPort?.postMessage(answer, transfer)

const failure = (reading: number, from: number, error: unknown): ThreadResponse => {
  if (error instanceof CommitsPruned) return { kind: 'gone', reading, from, oldest: error.oldest }
  if (error instanceof FilterTooExpensive)
    return { kind: 'unfit', reading, index: error.index, reason: error.message }
  return { kind: 'failed', reading, reason: messageOf(error) }
}

const next = async ({
  reading,
  from,
  extent,
  rights,
  spent
}: Extract<ThreadTask, { kind: 'next' }>): Promise<void> => {
  const asked = readings.get(reading)
  const authorizer = authorizers.get(rights)
  if (!asked || !authorizer) return
  try {
    const { bytes, next: after, withheld } = await asked.next({ from, extent, authorizer }, spent)
    say({ kind: 'piece', reading, bytes, next: after, withheld, rights }, bytes ? [bytes.buffer] : [])
  } catch (error) {
    say(failure(reading, from, error))
  }
}

parentPort?.on('message', (task: ThreadTask) => {
  switch (task.kind) {
    case 'open':
      readings.set(task.reading, engine.open(fromMessage(task.subscription)))
      break
    case 'rights':
      authorizers.set(task.rights, authorizerOf(task.rules))
      break
    case 'forget-rights':
      authorizers.delete(task.rights)
      break
    case 'erased':
      engine.forgetRead()
      break
    case 'next':
      void next(task)
      break
    case 'close':
      readings.get(task.reading)?.close()
      readings.delete(task.reading)
  }
})
