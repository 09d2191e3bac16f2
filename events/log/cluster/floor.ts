// Which commits the servers of a cluster let go of together: those that stand on enough disks, and that nobody is about to read.
import type { Member, SharedLog, Term } from './shared-log.js'

export interface FloorRule {
  /** Newest commits that are kept in any case. */
  readonly keepCommits: number
  /** Servers whose disks must hold a commit before it goes; all that have joined, if those are fewer. */
  readonly copies: number
}

/** Who has joined, and who of them takes part now, each as it last announced itself. */
export interface Holders {
  readonly joined: readonly Member[]
  readonly members: readonly Member[]
}

/**
 * Index of the oldest commit that has to stay.
 * @param head index of the newest commit
 */
export function floorOf(
  head: number,
  { joined, members }: Holders,
  { keepCommits, copies }: FloorRule
): number {
  // A server that is away holds nothing back, but what its disk has counts.
  const flushed = new Map([...joined, ...members].map(member => [member.id, member.flushed]))
  const mostFirst = [...flushed.values()].toSorted((a, b) => b - a)
  const onEnough = mostFirst[Math.min(copies, mostFirst.length) - 1] ?? 0
  const onAll = Math.min(...members.map(member => member.flushed))
  return Math.max(1, Math.min(head - keepCommits, onEnough, onAll) + 1)
}

/**
 * Lets go of what the rule allows, as the leader.
 * @returns index of the oldest commit that is there
 * @throws SharedUnreachable
 */
export async function letGoOfShared(shared: SharedLog, term: Term, rule: FloorRule): Promise<number> {
  const [{ head, floor }, joined, members] = await Promise.all([
    shared.read(),
    shared.joined(),
    shared.members()
  ])
  const allowed = floorOf(head.index, { joined, members }, rule)
  return allowed > floor ? shared.compact(term, allowed) : floor
}
