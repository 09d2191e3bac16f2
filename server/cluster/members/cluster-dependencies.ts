import type { Logger } from 'pino'
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { Clock, Timers } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { Candidacy } from '../../../actors/processes/candidacy.js'
import { LeaderProcesses } from '../../../actors/processes/leader-processes.js'
import { Leadership } from '../../../actors/processes/leadership.js'
import type { ClusteredLog, LeadershipState } from '../../../actors/processes/leadership-dependencies.js'
import { Members } from '../../../actors/processes/members.js'
import { MembershipKeeper } from '../../../actors/processes/membership-keeper.js'
import { AppliedCommits } from '../../../actors/processes/applied-commits.js'
import { ClusterObservation } from '../../../actors/processes/cluster-observation.js'
import { derivedOnce } from '../../../events/coalescer.js'
import type { Commit } from '../../../events/envelope.js'
import { followSharedLog } from '../../../events/log/cluster/log-follower.js'
import type { ClusterLink } from '../../../events/log/cluster/cluster-link.js'
import type { Member, SharedLog } from '../../../events/log/cluster/shared-log.js'
import type { StoredRecord } from '../../../events/log/record.js'
import type { Report } from '../../../events/log/report.js'
import { Views } from '../../../projections/read-models.js'
import { LOGGER } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import type { LeaderAddress } from './cluster-port.js'
import { PeerCatchUp } from './peer-catch-up.js'
import { Reachability } from './reachability.js'
import { ReadIndex } from './read-index.js'
import { SignedRequests } from './signed-requests.js'
import { messageOf } from '../../../events/errors.js'

/** How often a persistent fault is logged. */
const FAULT_LOG_INTERVAL_MS = 30_000

class JoinFaults {
  #last: string | undefined
  #loggedAt = -Infinity

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly onChange: (fault?: string) => void
  ) {}

  /** The reason of the last failed attempt. */
  get last(): string | undefined {
    return this.#last
  }

  /** Call when the server has joined, or never will. */
  ended(): void {
    if (this.#last !== undefined) this.onChange()
    this.#last = undefined
  }

  failed(error: unknown): void {
    const fault = messageOf(error)
    const now = this.clock.elapsed()
    if (fault === this.#last && now - this.#loggedAt < FAULT_LOG_INTERVAL_MS) return
    this.#last = fault
    this.onChange(fault)
    this.#loggedAt = now
    this.logger.warn(`this server cannot join the cluster yet, and tries again: ${fault}`)
  }
}

/** States of a server that leads or would campaign. */
const CAN_LEAD: ReadonlySet<LeadershipState> = new Set([
  'following',
  'lagging',
  'campaigning',
  'catchingUp',
  'leading',
  'steppingDown'
])

/** The log of a cluster member, which can store the leader's commits. */
interface FollowingLog extends ClusteredLog {
  /** See `StoredLog.ingest`. */
  ingest(records: readonly StoredRecord[], apply: (commits: readonly Commit[]) => void): Promise<void>
}

export interface ClusterMember {
  readonly settings: Settings
  readonly shared: SharedLog
  readonly link: ClusterLink
  readonly log: FollowingLog
  /** See `LeadershipDependencies.admit`. */
  readonly admit: () => Promise<void>
  /** Called with a reason while this server cannot join, and without one as soon as it can. */
  readonly onWaiting: (reason?: string) => void
  readonly self: () => Member
}

export const CLUSTER_MEMBER: InjectionToken<ClusterMember> = Symbol('ClusterMember')

/** What a member needs to take part in its cluster. Constructed when the read models exist. */
@scoped(Lifecycle.ContainerScoped)
export class ClusterDependencies {
  readonly sightings: ClusterObservation
  readonly members: Members
  readonly reachability: Reachability
  readonly leadership: Leadership
  /** Applied commits as reads see them. */
  readonly shown: AppliedCommits
  readonly readIndex: ReadIndex
  readonly joining: JoinFaults
  readonly #isClockRight: () => boolean
  /** Shared by all reads that share an index. */
  readonly #untilApplied = derivedOnce(async (asked: Promise<number>) => {
    const until = this.clock.elapsed() + this.server.settings.cluster.hold
    const index = await asked
    await this.shown.untilApplied(index, Math.max(until - this.clock.elapsed(), 0))
  })

  constructor(
    @inject(CLUSTER_MEMBER) private readonly server: ClusterMember,
    views: Views,
    readonly committer: Committer,
    readonly clock: Clock,
    timers: Timers,
    signed: SignedRequests,
    private readonly processes: LeaderProcesses,
    private readonly catchUp: PeerCatchUp,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    const { settings, shared, self } = server
    this.sightings = new ClusterObservation(shared, clock, () => (committer.isReadable ? views.index : 0))
    this.members = new Members(shared, clock, timers)
    this.#isClockRight = clockIsRight(this.members, settings, logger)
    this.reachability = new Reachability({
      members: this.members,
      signed,
      timers,
      logger,
      own: settings.node_id,
      address: () => self().address
    })
    committer.setDurabilityTimeout({ ms: settings.cluster.hold, clock, timers })
    this.joining = new JoinFaults(clock, logger, server.onWaiting)
    this.leadership = this.#createLeadership(timers)
    this.shown = new AppliedCommits(views, committer, timers)
    this.readIndex = new ReadIndex({ shared, signed, clock, timers, leader: () => this.#otherLeader() })
  }

  /** See `ClusterPort`. */
  fence(): Promise<void> {
    return this.#untilApplied(this.readIndex.newest())
  }

  /** Returns true if the log, the clock and the disk of this server allow it to lead. */
  canLead(): boolean {
    return CAN_LEAD.has(this.leadership.state) && this.committer.isWritable && this.#isClockRight()
  }

  #otherLeader(): LeaderAddress | undefined {
    const { leader } = this.leadership
    return leader?.id === this.server.settings.node_id ? undefined : leader
  }

  #createLeadership(timers: Timers): Leadership {
    const { settings, shared, link, log, admit, self } = this.server
    const { clock, committer, joining, logger, members, sightings } = this
    const { node_id: id, cluster } = settings
    const report: Report = ({ level, text }) => logger[level](`cluster: ${text}`)
    const candidacy = new Candidacy({
      members,
      clock,
      id,
      leaseTtl: cluster.lease_ttl,
      isLeading: () => leadership.isDeciding,
      isVacant: () => sightings.leader === undefined
    })
    const leadership: Leadership = new Leadership({
      id,
      log,
      shared,
      link,
      committer,
      processes: this.processes,
      membership: new MembershipKeeper(shared, timers, self),
      clusterObservation: sightings,
      clock,
      timers,
      maxStale: cluster.max_stale,
      admit,
      follow: signal =>
        followSharedLog(
          {
            log,
            take: records => committer.ingest(apply => log.ingest(records, apply), signal),
            shared,
            peers: this.catchUp.peers,
            replace: aborted => this.catchUp.replace(aborted),
            pause: (ms, aborted) => timers.pause(ms, aborted),
            report
          },
          signal
        ),
      isFit: () => this.#isClockRight() && candidacy.allows,
      onJoinFailed: error => joining.failed(error),
      onState: (state, error) => {
        if (state !== 'joining') joining.ended()
        note(logger, state, { leader: leadership.leader?.id, error })
      }
    })
    return leadership
  }
}

/** Returns a check of this server's clock, which logs once when the clock is wrong. */
const clockIsRight = (
  members: Members,
  { node_id: id, cluster }: Pick<Settings, 'node_id' | 'cluster'>,
  logger: Logger
): (() => boolean) => {
  let wasRight = true
  return () => {
    const ahead = members.clockAhead(id)
    const isRight = Math.abs(ahead) <= cluster.max_clock_skew
    if (!isRight && wasRight)
      logger.error(
        { ms: Math.round(ahead) },
        'the clock of this server differs from the others by so many ms: it does not lead'
      )
    wasRight = isRight
    return isRight
  }
}

const note = (
  logger: Logger,
  state: LeadershipState,
  { leader, error }: { readonly leader: string | undefined; readonly error: unknown }
): void => {
  if (state === 'broken')
    logger.fatal(
      { err: error },
      'this server cannot continue in its cluster without an operator (docs/how-to/recover.md)'
    )
  else logger.info({ state, leader }, 'the role of this server in its cluster')
}
