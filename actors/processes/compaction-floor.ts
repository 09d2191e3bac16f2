// Compacts the shared log up to the index that enough servers have stored.
import type { Member, SharedLog, Term } from '../../events/log/cluster/shared-log.js'
import { repeat, type Timers } from '../clock.js'
import type { KnownMember, Members } from './members.js'

const INTERVAL_MS = 30_000

interface FloorLimits {
  /** Number of newest commits that always stay. */
  readonly keep: number
  /** Number of servers that must store a commit before its compaction; all, if there are fewer. */
  readonly copies: number
}

/**
 * Returns the index of the oldest commit that must stay: commits stay while a live server lacks them or too
 * few servers have stored them, including servers that are not live.
 * @param head index of the newest commit
 */
export const compactionFloorOf = (
  known: readonly KnownMember[],
  head: number,
  { keep, copies }: FloorLimits
): number => {
  const flushed = ({ member }: { readonly member: Member }): number => member.flushed
  const live = known.filter(({ isLive }) => isLive).map(flushed)
  const byMost = known.map(flushed).toSorted((a, b) => b - a)
  const stored = byMost[Math.min(copies, byMost.length) - 1] ?? 0
  return Math.max(Math.min(head - keep, stored, ...live) + 1, 1)
}

interface CompactionFloorDependencies {
  readonly shared: Pick<SharedLog, 'compact'>
  readonly members: Pick<Members, 'all'>
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  readonly limits: FloorLimits
  readonly term: () => Term | undefined
  readonly head: () => number
  /** Index of the newest commit with erased parts; 0 for none. */
  readonly erased: () => number
  readonly onFailure: (error: unknown) => void
}

/** Runs every half minute while this server leads. */
export class CompactionFloor {
  #stop = (): void => {}
  /** Index of the oldest shared commit, as far as known. */
  #floor = 1

  constructor(private readonly dependencies: CompactionFloorDependencies) {}

  start(): void {
    const { timers, onFailure } = this.dependencies
    this.#stop = repeat(timers, INTERVAL_MS, () => void this.#compact().catch(onFailure))
  }

  stop(): void {
    this.#stop()
  }

  /** Compacts as far as possible. @throws SharedUnreachable */
  raise(): Promise<void> {
    return this.#compact(0)
  }

  async #compact(keepNewest = this.dependencies.limits.keep): Promise<void> {
    const { shared, members, limits, term, head, erased } = this.dependencies
    const currentTerm = term()
    if (!currentTerm) return
    // Commits are shared and compacted in batches: to remove an erased commit, retain as few as possible.
    const keep = erased() >= this.#floor ? 0 : keepNewest
    this.#floor = await shared.compact(
      currentTerm,
      compactionFloorOf(members.all, head(), { ...limits, keep })
    )
  }
}
