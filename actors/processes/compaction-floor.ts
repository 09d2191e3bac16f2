// Has the cluster let go of commits that enough servers hold on their own disks.
import type { Member, SharedLog, Term } from '../../events/log/cluster/shared-log.js'
import { repeat, type Timers } from '../timers.js'
import type { KnownMember, Members } from './members.js'

const EVERY_MS = 30_000

interface FloorLimits {
  /** Newest commits that are kept in any case. */
  readonly keep: number
  /** Servers that must hold what goes; all there are, if there are fewer. */
  readonly copies: number
}

/**
 * Index of the oldest commit that has to stay: what a live server lacks stays, and what too few disks hold, those of servers counted that
 * are not heard of.
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
  const held = byMost[Math.min(copies, byMost.length) - 1] ?? 0
  return Math.max(Math.min(head - keep, held, ...live) + 1, 1)
}

interface CompactionFloorDependencies {
  readonly shared: Pick<SharedLog, 'compact'>
  readonly members: Pick<Members, 'all'>
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  readonly limits: FloorLimits
  readonly term: () => Term | undefined
  readonly head: () => number
  /** Index of the newest commit of which something was erased; 0 for none. */
  readonly erased: () => number
  readonly onFailure: (error: unknown) => void
}

/** Looks every half minute, while this server leads. */
export class CompactionFloor {
  #stop = (): void => {}
  /** Index of the oldest commit that is shared, as far as this is known. */
  #floor = 1

  constructor(private readonly parts: CompactionFloorDependencies) {}

  start(): void {
    const { timers, onFailure } = this.parts
    this.#stop = repeat(timers, EVERY_MS, () => void this.#look().catch(onFailure))
  }

  stop(): void {
    this.#stop()
  }

  /** Has all go at once that can. @throws SharedUnreachable */
  raise(): Promise<void> {
    return this.#look(0)
  }

  async #look(most = this.parts.limits.keep): Promise<void> {
    const { shared, members, limits, term, head, erased } = this.parts
    const now = term()
    if (!now) return
    // Commits were shared many at a time, and go so: to be rid of one that was erased, none is kept that can go.
    const keep = erased() >= this.#floor ? 0 : most
    this.#floor = await shared.compact(now, compactionFloorOf(members.all, head(), { ...limits, keep }))
  }
}
