// A server as one of a cluster: its log over what is shared, the part that it plays, and what requests ask of it.
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { ErasureWork } from '../../actors/erasure/erasure-work.js'
import { LeaderProcesses } from '../../actors/processes/leader-processes.js'
import { Leadership } from '../../actors/processes/leadership.js'
import type { ClusteredLog, LeadershipState } from '../../actors/processes/leadership-parts.js'
import { type KnownMember, Members } from '../../actors/processes/members.js'
import { SharedFloor } from '../../actors/processes/shared-floor.js'
import { Shown } from '../../actors/processes/shown.js'
import { Seat } from '../../actors/processes/seat.js'
import { Sightings } from '../../actors/processes/sightings.js'
import { DECIDES, OTHER_SERVERS } from '../../actors/ports.js'
import { invalid } from '../../actors/refusal.js'
import { Timers } from '../../actors/timers.js'
import { followShared } from '../../events/log/cluster/follow.js'
import { ClusterLink } from '../../events/log/cluster/link.js'
import { type Member, type SharedLog, SharedUnreachable } from '../../events/log/cluster/shared-log.js'
import type { Report } from '../../events/log/report.js'
import type { StoredRecord } from '../../events/log/record.js'
import type { Commit } from '../../events/envelope.js'
import { Views } from '../../projections/views.js'
import { type ClusterPort, type ClusterRole, type LeaderPlace } from './cluster-port.js'
import { useCluster } from './cluster-requests.js'
import { farBehind, otherServers } from './far-behind.js'
import type { ListeningPorts } from '../cluster-host.js'
import { advertisedOf } from '../settings/listeners.js'
import type { Settings } from '../settings/settings.js'
import { LOGGER } from '../program/ports.js'
import { type Server, type Servers, SERVERS } from '../program/servers.js'
import { programVersion } from '../program/version.js'

/** How long an end waits for the cluster, in ms: who cannot reach it ends all the same. */
const LEAVE_MS = 5000

const ROLES: Readonly<Record<LeadershipState, ClusterRole>> = {
  starting: 'joining',
  joining: 'joining',
  following: 'following',
  lagging: 'following',
  cut: 'following',
  campaigning: 'following',
  catchingUp: 'following',
  leading: 'leading',
  steppingDown: 'following',
  broken: 'broken'
}

/** The log of a server of a cluster, which takes what others have decided. */
interface FollowingLog extends ClusteredLog {
  /** See `StoredLog.ingest`. */
  ingest(records: readonly StoredRecord[], apply: (commits: readonly Commit[]) => void): Promise<void>
}

export interface ClusterLogParts {
  readonly shared: SharedLog
  readonly link: ClusterLink
  readonly log: FollowingLog
  /** Makes sure that the log is that of the cluster. @throws LogUnusable; SharedUnreachable */
  readonly admit: () => Promise<void>
}

/** What a server plays its part with, once the read models are made. */
interface PlayingParts {
  readonly clock: Clock
  readonly committer: Committer
  readonly shown: Shown
  readonly sightings: Sightings
  readonly members: Members
  readonly leadership: Leadership
}

export class ServerCluster implements ClusterPort {
  readonly hold: number
  readonly maxStale: number
  readonly secret: Uint8Array
  readonly #settings: Settings
  readonly #shared: SharedLog
  readonly #link: ClusterLink
  readonly #log: FollowingLog
  readonly #admit: () => Promise<void>
  readonly #listeners = new Set<() => void>()
  #address: string
  #isClockRight = true
  #parts: PlayingParts | undefined

  constructor(settings: Settings, { shared, link, log, admit }: ClusterLogParts) {
    const { secret = '', hold, max_stale } = settings.cluster
    this.hold = hold
    this.maxStale = max_stale
    this.secret = Buffer.from(secret, 'base64')
    this.#settings = settings
    this.#shared = shared
    this.#link = link
    this.#log = log
    this.#admit = admit
    this.#address = advertisedOf(settings)
  }

  /** Has the parts of a server ask it, before any of them is made. */
  register(scope: DependencyContainer): void {
    useCluster(scope, this)
    scope.registerInstance<Servers>(SERVERS, this.servers)
    const decides = (): boolean => this.#parts?.leadership.isDeciding === true
    scope.registerInstance(DECIDES, decides)
    const cluster = { shared: this.#shared, settings: this.#settings, secret: this.secret }
    scope.register(OTHER_SERVERS, {
      useFactory: instanceCachingFactory(made => otherServers(made, cluster, decides))
    })
  }

  /** Commits of the cluster that are not here yet, as of the last look. */
  get behind(): number {
    return Math.max((this.#parts?.sightings.head ?? 0) - this.#log.durableIndex, 0)
  }

  /** The servers of the cluster, as this one knows them. */
  readonly servers: Servers = {
    list: () => this.#known.map(known => this.#shown(known)),
    leader: () => {
      const id = this.leader()?.id
      const known = id === undefined ? undefined : this.#parts?.members.get(id)
      return known && this.#shown(known)
    },
    term: () => this.#parts?.leadership.leader?.epoch ?? 0,
    tolerance: () => {
      const live = this.#known.filter(({ isLive }) => isLive).length
      const etcd = this.#settings.cluster.etcd.endpoints.length
      return Math.max(Math.min(Math.floor((etcd - 1) / 2), live - 1), 0)
    },
    forget: async id => {
      if (this.#parts?.members.get(id)?.isLive === true)
        throw invalid(`Server "${id}" is still there: stop it before it is removed`)
      await this.#shared.forget(id)
    }
  }

  get #known(): readonly KnownMember[] {
    return this.#parts?.members.all ?? []
  }

  #shown({ member, isLive, since }: KnownMember): Server {
    const { node_id: own } = this.#settings
    const { clock, committer } = this.#parts ?? {}
    const isItself = member.id === own
    const { id, name, bind, meta } = member
    return {
      id,
      name,
      bind,
      meta,
      isLeader: this.leader()?.id === id,
      isLive,
      isHealthy: isLive && (!isItself || committer?.isWritable === true),
      lastIndex: isItself ? this.#log.durableIndex : member.flushed,
      lastContact: isItself ? this.lastContact() : 0,
      since: clock ? Math.floor(clock.now() - (clock.elapsed() - since)) : 0
    }
  }

  /** Who is in the cluster, and what only its leader does for it: it lets go of what has been shared for long enough. */
  nameLeaderWork(scope: DependencyContainer): Members {
    const { members, leadership, sightings } = this.#playing(scope)
    const { cluster } = this.#settings
    const logger = scope.resolve(LOGGER)
    const erasures = scope.resolve(ErasureWork)
    scope.resolve(LeaderProcesses).whileLeading(
      new SharedFloor({
        shared: this.#shared,
        members,
        timers: scope.resolve(Timers),
        limits: { keep: cluster.keep_commits, copies: cluster.copies },
        term: () => leadership.term,
        head: () => Math.max(sightings.head, this.#log.durableIndex),
        erased: () => erasures.erasedUpTo,
        onFailure: error =>
          logger.warn({ err: error }, 'etcd could not let go of commits that are no longer needed there')
      })
    )
    return members
  }

  /** Takes part from now on: the server listens. */
  start(scope: DependencyContainer, { port = -1, httpsPort = -1 }: ListeningPorts): void {
    this.#address = advertisedOf(this.#settings, { http: port, https: httpsPort })
    const { members, leadership } = this.#playing(scope)
    members.start()
    leadership.start()
  }

  /** Takes part no more. What it led another one leads, as soon as what is being written is certain. */
  async leave(): Promise<void> {
    const parts = this.#parts
    if (!parts) return
    parts.members.stop()
    const hasOthers = parts.members.all.some(
      ({ isLive, member }) => isLive && member.id !== this.#settings.node_id
    )
    await Promise.race([parts.leadership.leave(hasOthers), setTimeout(LEAVE_MS, undefined, { ref: false })])
    parts.sightings.stop()
  }

  /** Ends what is under way with the cluster: nobody hears what becomes of it. */
  close(): Promise<void> {
    return this.#shared.close()
  }

  /** What the server is and holds now. */
  get self(): Member {
    const { node_id: id, node_name: name, node_meta: meta } = this.#settings
    return {
      id,
      name,
      address: this.#address,
      bind: new URL(this.#address).hostname.replace(/^\[(.*)\]$/, '$1'),
      meta,
      version: programVersion(),
      at: this.#parts?.clock.now() ?? 0,
      flushed: this.#log.durableIndex
    }
  }

  role(): ClusterRole {
    const role = ROLES[this.state]
    return role === 'leading' && !this.#parts?.leadership.isLeading ? 'following' : role
  }

  get state(): LeadershipState {
    return this.#parts?.leadership.state ?? 'starting'
  }

  leader(): LeaderPlace | undefined {
    return this.#parts?.leadership.leader
  }

  mayAnswer(): boolean {
    return this.#parts?.leadership.isLeadingForCertain === true
  }

  lastContact(): number {
    if (!this.#parts || this.mayAnswer()) return 0
    return Math.max(Math.round(this.#parts.sightings.age), 0)
  }

  member(id: string): Member | undefined {
    return this.#parts?.members.get(id)?.member
  }

  async fence(): Promise<void> {
    const parts = this.#parts
    if (!parts) throw new SharedUnreachable('this server has not joined the cluster yet')
    const { clock, shown } = parts
    const until = clock.elapsed() + this.hold
    const { head } = await this.#shared.read()
    await shown.upTo(head.index, Math.max(until - clock.elapsed(), 0))
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  #playing(scope: DependencyContainer): PlayingParts {
    this.#parts ??= this.#made(scope)
    return this.#parts
  }

  #made(scope: DependencyContainer): PlayingParts {
    const [views, committer, clock, timers, logger] = [
      scope.resolve(Views),
      scope.resolve(Committer),
      scope.resolve(Clock),
      scope.resolve(Timers),
      scope.resolve(LOGGER)
    ]
    const { node_id: id, cluster } = this.#settings
    const shared = this.#shared
    const log = this.#log
    const sightings = new Sightings(shared, clock, () => (committer.isReadable ? views.index : 0))
    const seat = new Seat(shared, timers, () => this.self)
    const members = new Members(shared, clock, timers)
    const report: Report = ({ level, text }) => logger[level](`cluster: ${text}`)
    committer.holdFor({ ms: cluster.hold, clock, timers })
    const leadership = new Leadership({
      id,
      log,
      shared,
      link: this.#link,
      committer,
      processes: scope.resolve(LeaderProcesses),
      seat,
      sightings,
      clock,
      timers,
      maxStale: cluster.max_stale,
      admit: this.#admit,
      follow: signal =>
        followShared(
          {
            log,
            take: records => committer.take(apply => log.ingest(records, apply), signal),
            shared,
            ...farBehind(scope, { shared, settings: this.#settings, secret: this.secret }),
            report
          },
          signal
        ),
      isFit: () => this.#isFit(logger),
      onState: (state, error) => this.#note(logger, state, error)
    })
    leadership.signals.on('changed', () => {
      for (const listener of this.#listeners) listener()
    })
    return { clock, committer, shown: new Shown(views, committer, timers), sightings, members, leadership }
  }

  /** Whether its clock is right enough to lead. */
  #isFit(logger: Logger): boolean {
    const { node_id: id, cluster } = this.#settings
    const ahead = this.#parts?.members.clockAhead(id) ?? 0
    const isFit = Math.abs(ahead) <= cluster.max_clock_skew
    const isNew = isFit !== this.#isClockRight
    this.#isClockRight = isFit
    if (!isFit && isNew)
      logger.error(
        { ms: Math.round(ahead) },
        'the clock of this server is ahead of those of the others by so many ms, or behind them: it does not lead'
      )
    return isFit
  }

  #note(logger: Logger, state: LeadershipState, error: unknown): void {
    if (state === 'broken')
      logger.fatal(
        { err: error },
        'this server cannot go on in its cluster: only an operator can help (docs/cluster.md)'
      )
    else logger.info({ state, leader: this.leader()?.id }, 'the part of this server in its cluster')
  }
}
