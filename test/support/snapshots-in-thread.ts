// Takes the place of `server/snapshots/child-process.ts` in the threads of groups: a process of low priority starts late on a busy machine, and
// costs ten times as much as a snapshot of these tests. Servers that are processes have theirs.
import type { Logger } from 'pino'
import type { MadeSnapshot, ToChild } from '../../server/snapshots/child-process.js'
import { makeSnapshot } from '../../server/snapshots/make-snapshot.js'

/** Creates a snapshot in this thread. @throws Error as the process would report it, and after the signal */
export const runInChild = async (
  order: ToChild,
  logger: Logger,
  signal: AbortSignal
): Promise<MadeSnapshot> => {
  signal.throwIfAborted()
  const made = await makeSnapshot(structuredClone(order))
  signal.throwIfAborted()
  for (const snapshot of made.unsound) logger.warn({ snapshot }, 'a snapshot was skipped')
  return made
}
