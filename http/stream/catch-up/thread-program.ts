// The work of the catch-up thread: reads the log's files, filters, and transfers finished pieces.
import type { TransferListItem } from 'node:worker_threads'
import { NodeDisk } from '../../../events/log/node-disk.js'
import { BoundedReader, type SearchPosition } from '../../../events/log/segments/bounded-reader.js'
import type { ReadableExtent } from '../../../events/stored.js'
import { CommitsPruned } from '../../../events/log/log.js'
import { authorizerOf, type Authorizer } from '../../../projections/acl/authorizer.js'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { fromMessage } from '../../../projections/stream/subscription.js'
import { CatchUpEngine, type EngineReading } from './engine.js'
import type { ThreadResponse, ThreadStart, ThreadTask } from './thread-source.js'
import { CpuShare, WriteActivity } from './cpu-share.js'
import { messageOf } from '../../../events/errors.js'

/** The thread's end of its channel. */
interface ThreadPort {
  postMessage(answer: ThreadResponse, transfer: readonly TransferListItem[]): void
  on(name: 'message', take: (task: ThreadTask) => void): void
}

const failure = (reading: number, from: number, error: unknown): ThreadResponse => {
  if (error instanceof CommitsPruned) return { kind: 'gone', reading, from, oldest: error.oldest }
  if (error instanceof FilterTooExpensive)
    return { kind: 'unfit', reading, index: error.index, reason: error.message }
  return { kind: 'failed', reading, reason: messageOf(error) }
}

/** @param active time in ms that the thread has worked */
export const serveCatchUp = (start: ThreadStart, port: ThreadPort, active: () => number): void => {
  const { path, share, writers: memory, pieceBytes } = start
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
    share: new CpuShare(share, () => writers.areActive, active),
    pieceBytes
  })
  const readings = new Map<number, EngineReading<ReadableExtent>>()
  const authorizers = new Map<number, Authorizer>()

  const send = (answer: ThreadResponse, transfer: readonly TransferListItem[] = []): void =>
    port.postMessage(answer, transfer)

  const next = async ({
    reading,
    from,
    extent,
    rights,
    spent
  }: Extract<ThreadTask, { kind: 'next' }>): Promise<void> => {
    const engineReading = readings.get(reading)
    const authorizer = authorizers.get(rights)
    if (!engineReading || !authorizer) return
    try {
      const { bytes, next: after, withheld } = await engineReading.next({ from, extent, authorizer }, spent)
      send({ kind: 'piece', reading, bytes, next: after, withheld, rights }, bytes ? [bytes.buffer] : [])
    } catch (error) {
      send(failure(reading, from, error))
    }
  }

  const forgetRead = (): void => {
    engine.forgetRead()
    void reader.forgetIndexes()
  }

  port.on('message', task => {
    if (task.kind === 'open') readings.set(task.reading, engine.open(fromMessage(task.subscription)))
    else if (task.kind === 'rights') authorizers.set(task.rights, authorizerOf(task.rules))
    else if (task.kind === 'forget-rights') authorizers.delete(task.rights)
    else if (task.kind === 'erased') forgetRead()
    else if (task.kind === 'next') void next(task)
    else {
      readings.get(task.reading)?.close()
      readings.delete(task.reading)
    }
  })
}
