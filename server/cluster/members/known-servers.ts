// Lists the servers of a cluster for operators and clients, as this server knows them.
import { isolatedFrom, successorOf } from '../../../actors/processes/candidacy.js'
import type { KnownMember } from '../../../actors/processes/members.js'
import { invalid } from '../../../actors/refusal.js'
import type { Member, SharedLog } from '../../../events/log/cluster/shared-log.js'
import {
  SOUND,
  type Connectivity,
  type Server,
  type Servers
} from '../../../http/routes/operator/cluster-servers.js'
import type { Settings } from '../../settings/settings.js'
import { etcdEndpoints } from '../etcd/member-list.js'
import type { ClusterPort } from './cluster-port.js'
import type { ClusterDependencies } from './cluster-dependencies.js'

interface KnownServersOptions {
  readonly settings: Pick<Settings, 'node_id' | 'cluster' | 'data_dir'>
  readonly shared: Pick<SharedLog, 'forget'>
  readonly log: { readonly durableIndex: number }
  readonly port: Pick<ClusterPort, 'leader' | 'lastContact'>
  readonly address: () => string
  /** Undefined before this server takes part. */
  readonly dependencies: () => ClusterDependencies | undefined
}

export class KnownServers implements Servers {
  constructor(private readonly parts: KnownServersOptions) {}

  list(): readonly Server[] {
    return this.#known.map(known => this.#shown(known))
  }

  leader(): Server | undefined {
    const id = this.parts.port.leader()?.id
    const known = id === undefined ? undefined : this.#cluster?.members.get(id)
    return known && this.#shown(known)
  }

  term(): number {
    return this.#cluster?.leadership.leader?.epoch ?? 0
  }

  connectivity(): Connectivity {
    const leader = this.leader()
    const cluster = this.#cluster
    if (!cluster) return SOUND
    const { joining, leadership } = cluster
    if (leadership.state === 'joining' && joining.last !== undefined)
      return { isSound: false, reasons: [`this server cannot join the cluster yet: ${joining.last}`] }
    if (!leader) return SOUND
    const { settings, address } = this.parts
    if (leader.id !== settings.node_id) {
      const fault = cluster.reachability.faultOf(leader.id)
      if (fault === undefined) return SOUND
      const place = cluster.members.get(leader.id)?.member.address
      const reason = `this server cannot forward to the leader ${leader.name} at ${place}: ${fault}`
      return { isSound: false, reasons: [reason] }
    }
    const cutOff = isolatedFrom(this.#known, leader.id)
    if (cutOff.length === 0) return SOUND
    const names = cutOff.map(({ name }) => name).join(', ')
    const reason = `these servers do not reach this leader at ${address()} (cluster.advertise): ${names}`
    const why = successorOf(this.#known, leader.id)
      ? 'it is about to step down'
      : 'it continues to lead, since most members reach no other server that can lead'
    return { isSound: true, reasons: [`${reason}; ${why}`] }
  }

  tolerance(): number {
    const live = this.#known.filter(({ isLive }) => isLive).length
    const etcd = etcdEndpoints(this.parts.settings).length
    return Math.max(Math.min(Math.floor((etcd - 1) / 2), live - 1), 0)
  }

  async forget(id: string): Promise<void> {
    if (this.#cluster?.members.get(id)?.isLive === true)
      throw invalid('cluster.invalid', `Server "${id}" is still there: stop it before it is removed`)
    await this.parts.shared.forget(id)
  }

  get #cluster(): ClusterDependencies | undefined {
    return this.parts.dependencies()
  }

  get #known(): readonly KnownMember[] {
    return this.#cluster?.members.all ?? []
  }

  /** Returns true if a follower reports that it reaches the leader, or most others that they reach this leader. */
  #isConnected({ id, unreachable = [] }: Member): boolean {
    const leader = this.parts.port.leader()?.id
    if (leader === undefined) return true
    return leader === id ? isolatedFrom(this.#known, id).length === 0 : !unreachable.includes(leader)
  }

  #shown(known: KnownMember): Server {
    const { member, isLive, since } = known
    const { settings, log, port } = this.parts
    const { clock, committer } = this.#cluster ?? {}
    const isItself = member.id === settings.node_id
    const { id, name, bind, address, version, meta } = member
    return {
      id,
      name,
      bind,
      address,
      version,
      meta,
      isLeader: port.leader()?.id === id,
      isLive,
      isHealthy: isLive && (!isItself || committer?.isWritable === true) && this.#isConnected(member),
      lastIndex: isItself ? log.durableIndex : member.flushed,
      lastContact: isItself ? port.lastContact() : contactOf(known, clock?.elapsed() ?? 0),
      since: clock ? Math.floor(clock.now() - (clock.elapsed() - since)) : 0
    }
  }
}

/** The last contact that another server reported, plus the time since a missing server was heard, in whole ms. */
const contactOf = ({ member, isLive, heardAt }: KnownMember, now: number): number =>
  member.lastContact + (isLive ? 0 : Math.max(Math.round(now - heardAt), 0))
