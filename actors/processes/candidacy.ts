// Decides which member should lead: a leader yields to a member that more others reach.
import type { Member } from '../../events/log/cluster/shared-log.js'
import type { Clock } from '../clock.js'
import type { KnownMember, Members } from './members.js'

/** How long a server leaves a vacant leadership to a member that more others reach, in ms: also one that does not watch notices it by then. */
const DEFER_MS = 1500

const reaches = ({ unreachable = [] }: Member, id: string): boolean => !unreachable.includes(id)

const liveOf = (all: readonly KnownMember[]): readonly Member[] =>
  all.flatMap(({ member, isLive }) => (isLive ? [member] : []))

/** The number of live members that reach a server. */
const reachedBy = (all: readonly KnownMember[], id: string): number =>
  liveOf(all).filter(member => member.id !== id && reaches(member, id)).length

/** The live members that report that they cannot reach a server, if they are a majority of the other registered members. */
export const isolatedFrom = (all: readonly KnownMember[], id: string): readonly Member[] => {
  const others = all.filter(({ member }) => member.id !== id)
  const cutOff = liveOf(others).filter(member => !reaches(member, id))
  return 2 * cutOff.length > others.length ? cutOff : []
}

/**
 * Returns the member that should lead in place of a leader that a majority of the other registered members cannot reach. As many of them
 * reach it, and more members than reach the leader: leadership moves only towards members that more others reach, so it never oscillates.
 */
export const successorOf = (all: readonly KnownMember[], leader: string): Member | undefined => {
  const others = all.filter(({ member }) => member.id !== leader)
  const cutOff = isolatedFrom(all, leader)
  if (cutOff.length === 0 || others.length < 2) return undefined
  return liveOf(others).find(({ id, canLead }) => {
    const supporters = cutOff.filter(member => member.id === id || reaches(member, id))
    return (
      canLead !== false &&
      2 * supporters.length > others.length &&
      reachedBy(all, id) > reachedBy(all, leader)
    )
  })
}

interface CandidacyDependencies {
  readonly members: Pick<Members, 'all' | 'onLook'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly id: string
  /** How long most others must not have reached a leader before it steps down, ms. */
  readonly leaseTtl: number
  readonly isLeading: () => boolean
  readonly isVacant: () => boolean
}

export class Candidacy {
  #replaceableSince: number | undefined
  #vacantSince: number | undefined

  constructor(private readonly dependencies: CandidacyDependencies) {
    dependencies.members.onLook(() => this.#look())
  }

  /** True when this server may lead or campaign, as far as other members reach it. */
  get allows(): boolean {
    return this.dependencies.isLeading() ? !this.#mustYield : this.#mayCampaign
  }

  get #mustYield(): boolean {
    const { clock, leaseTtl } = this.dependencies
    return this.#replaceableSince !== undefined && clock.elapsed() - this.#replaceableSince >= leaseTtl
  }

  get #mayCampaign(): boolean {
    const { members, id, clock, isVacant } = this.dependencies
    if (!isVacant()) {
      this.#vacantSince = undefined
      return true
    }
    this.#vacantSince ??= clock.elapsed()
    if (clock.elapsed() - this.#vacantSince >= DEFER_MS) return true
    const own = reachedBy(members.all, id)
    return liveOf(members.all).every(
      member => member.canLead === false || reachedBy(members.all, member.id) <= own
    )
  }

  #look(): void {
    const { members, id, clock, isLeading } = this.dependencies
    const isReplaceable = isLeading() && successorOf(members.all, id) !== undefined
    this.#replaceableSince = isReplaceable ? (this.#replaceableSince ?? clock.elapsed()) : undefined
  }
}
