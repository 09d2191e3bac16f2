// How much the streams of a server may hold in memory.
import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class StreamLimits {
  /** Recent commits kept for all streams together. */
  readonly recentCommits: number = 4096
  /** Characters of the events of those commits. */
  readonly recentSize: number = 16 * 1024 * 1024
  /** Bytes given to a connection at once; more waits until they are taken. A single larger message goes whole. */
  readonly batchBytes: number = 64 * 1024
}
