// One server of a cluster: its lifecycle, and the answers to what requests need to know of the cluster.
import { EventEmitter } from 'eventemitter3'
import type { KeyObject } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { DependencyContainer } from 'tsyringe'
import { factory } from '../../../actors/factories.js'
import type { LeadershipState } from '../../../actors/processes/leadership-dependencies.js'
import { USAGE_PEERS } from '../../../http/wire/collected-usage.js'
import { IS_DECIDING, PEER_SERVERS } from '../../../actors/ports.js'
import { type Member, SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import type { ListeningPorts, ClusterPort, ClusterRole, LeaderAddress } from './cluster-port.js'
import { type Servers, SERVERS } from '../../../http/routes/operator/cluster-servers.js'
import { programVersion } from '../../../events/version.js'
import { advertisedOf } from '../../settings/listeners.js'
import { clusterSecret, type Settings } from '../../settings/settings.js'
import { PeerUsage } from './peer-usage.js'
import { PeerCatchUp } from './peer-catch-up.js'
import { KnownServers } from './known-servers.js'
import { CLUSTER_MEMBER, ClusterDependencies, type ClusterMember } from './cluster-dependencies.js'
import { SHARED_LOG } from './shared-log.js'
import { replicateArchives } from './shared-restores.js'
import { CALL_BACK, registerCluster } from './register-cluster.js'

/** Timeout of leaving the cluster. A server that cannot reach it ends after that. */
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

type ClusterLogOptions = Pick<ClusterMember, 'shared' | 'link' | 'log' | 'admit' | 'onWaiting'>

export class ServerCluster implements ClusterPort {
  readonly hold: number
  readonly secret: KeyObject | undefined
  readonly servers: Servers
  readonly #signals = new EventEmitter<{ changed: [] }>()
  readonly #version = programVersion()
  #address: string
  #parts: ClusterDependencies | undefined

  constructor(
    private readonly settings: Settings,
    private readonly own: ClusterLogOptions
  ) {
    this.hold = settings.cluster.hold
    this.secret = clusterSecret(settings)
    this.#address = advertisedOf(settings)
    this.servers = new KnownServers({
      ...own,
      settings,
      port: this,
      address: () => this.#address,
      dependencies: () => this.#parts
    })
  }

  register(scope: DependencyContainer): void {
    registerCluster(scope, this)
    const { own, settings } = this
    scope.registerInstance(ServerCluster, this)
    scope.registerInstance(SHARED_LOG, own.shared)
    scope.registerInstance(CLUSTER_MEMBER, { ...own, settings, self: () => this.self })
    scope.registerInstance<Servers>(SERVERS, this.servers)
    const decides = (): boolean => this.#parts?.leadership.isDeciding === true
    scope.registerInstance(IS_DECIDING, decides)
    scope.register(
      CALL_BACK,
      factory(
        [ClusterDependencies],
        ({ reachability }) =>
          (id: string) =>
            reachability.callBack(id)
      )
    )
    replicateArchives(scope)
    scope.register(
      PEER_SERVERS,
      factory([PeerCatchUp], peers => peers.serversFor(decides))
    )
    scope.register(USAGE_PEERS, { useToken: PeerUsage })
  }

  /** Call when the read models exist. */
  use(dependencies: ClusterDependencies): void {
    this.#parts = dependencies
    dependencies.leadership.signals.on('changed', () => this.#signals.emit('changed'))
  }

  /** Commits of the cluster that this server lacked at the last poll. */
  get behind(): number {
    return Math.max((this.#parts?.sightings.head ?? 0) - this.own.log.durableIndex, 0)
  }

  /** Offset of this server's clock to the leader's, in ms; on the leader, to the median of all. */
  clockOffset(): number {
    const { node_id: own } = this.settings
    const leader = this.leader()?.id ?? own
    const members = this.#parts?.members
    return (leader === own ? members?.clockAhead(own) : members?.clockAheadOf(leader)) ?? 0
  }

  /** Joins the cluster. The server listens. */
  start(
    { members, leadership, reachability }: ClusterDependencies,
    { port = -1, httpsPort = -1 }: ListeningPorts
  ): void {
    this.#address = advertisedOf(this.settings, { http: port, https: httpsPort })
    members.start()
    reachability.start()
    leadership.start()
  }

  /** Leaves the cluster. Another server leads as soon as pending writes are durable. */
  async leave(): Promise<void> {
    const parts = this.#parts
    if (!parts) return
    parts.members.stop()
    parts.readIndex.stop()
    parts.reachability.stop()
    const hasOthers = async (): Promise<boolean> => {
      // Others may have joined since the last poll.
      await parts.members.look().catch(() => {})
      return parts.members.all.some(({ isLive, member }) => isLive && member.id !== this.settings.node_id)
    }
    await Promise.race([parts.leadership.leave(hasOthers), setTimeout(LEAVE_MS, undefined, { ref: false })])
    parts.sightings.stop()
  }

  get self(): Member {
    const { node_id: id, node_name: name, node_meta: meta, datacenter } = this.settings
    return {
      id,
      name,
      address: this.#address,
      bind: new URL(this.#address).hostname.replace(/^\[(.*)\]$/, '$1'),
      meta,
      version: this.#version,
      at: this.#parts?.clock.now() ?? 0,
      flushed: this.own.log.durableIndex,
      lastContact: this.lastContact(),
      datacenter,
      unreachable: this.#parts?.reachability.unreachable ?? [],
      canLead: this.#parts?.canLead() ?? false
    }
  }

  role(): ClusterRole {
    const role = ROLES[this.state]
    return role === 'leading' && !this.#parts?.leadership.isLeading ? 'following' : role
  }

  get state(): LeadershipState {
    return this.#parts?.leadership.state ?? 'starting'
  }

  leader(): LeaderAddress | undefined {
    return this.#parts?.leadership.leader
  }

  mayAnswer(): boolean {
    return this.#parts?.leadership.isLeadingForCertain === true
  }

  isLeaderKnown(): boolean {
    return this.leader() !== undefined && this.lastContact() <= this.settings.cluster.max_stale
  }

  lastContact(): number {
    if (!this.#parts || this.mayAnswer()) return 0
    return Math.max(Math.round(this.#parts.sightings.age), 0)
  }

  member(id: string): Member | undefined {
    return this.#parts?.members.get(id)?.member
  }

  fence(): Promise<void> {
    if (this.#parts) return this.#parts.fence()
    return Promise.reject(new SharedUnreachable('this server has not joined the cluster yet'))
  }

  onChange(listener: () => void): () => void {
    this.#signals.on('changed', listener)
    return () => void this.#signals.off('changed', listener)
  }
}
