// Memory limits of a server's streams.
import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class StreamLimits {
  /** Number of recent commits in memory, shared by all streams. */
  readonly recentCommits: number = 4096
  /** Total characters of their events. */
  readonly recentSize: number = 16 * 1024 * 1024
  /** Maximum bytes per write, except a single larger message. */
  readonly batchBytes: number = 64 * 1024
}
