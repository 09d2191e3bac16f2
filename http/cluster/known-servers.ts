// The servers of a cluster as one of them knows them: what operators and clients read.
import type { KnownMember } from '../../actors/processes/members.js'
import { invalid } from '../../actors/refusal.js'
import type { SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Server, Servers } from '../program/servers.js'
import type { Settings } from '../settings/settings.js'
import type { ClusterPort } from './cluster-port.js'
import type { PlayingParts } from './playing.js'

interface KnownServersParts {
  readonly settings: Pick<Settings, 'node_id' | 'cluster'>
  readonly shared: Pick<SharedLog, 'forget'>
  readonly log: { readonly durableIndex: number }
  readonly port: Pick<ClusterPort, 'leader' | 'lastContact'>
  /** Undefined before it takes part. */
  readonly playing: () => PlayingParts | undefined
}

export class KnownServers implements Servers {
  readonly #parts: KnownServersParts

  constructor(parts: KnownServersParts) {
    this.#parts = parts
  }

  list(): readonly Server[] {
    return this.#known.map(known => this.#shown(known))
  }

  leader(): Server | undefined {
    const id = this.#parts.port.leader()?.id
    const known = id === undefined ? undefined : this.#playing?.members.get(id)
    return known && this.#shown(known)
  }

  term(): number {
    return this.#playing?.leadership.leader?.epoch ?? 0
  }

  tolerance(): number {
    const live = this.#known.filter(({ isLive }) => isLive).length
    const etcd = this.#parts.settings.cluster.etcd.endpoints.length
    return Math.max(Math.min(Math.floor((etcd - 1) / 2), live - 1), 0)
  }

  async forget(id: string): Promise<void> {
    if (this.#playing?.members.get(id)?.isLive === true)
      throw invalid(`Server "${id}" is still there: stop it before it is removed`)
    await this.#parts.shared.forget(id)
  }

  get #playing(): PlayingParts | undefined {
    return this.#parts.playing()
  }

  get #known(): readonly KnownMember[] {
    return this.#playing?.members.all ?? []
  }

  #shown(known: KnownMember): Server {
    const { member, isLive, since } = known
    const { settings, log, port } = this.#parts
    const { clock, committer } = this.#playing ?? {}
    const isItself = member.id === settings.node_id
    const { id, name, bind, meta } = member
    return {
      id,
      name,
      bind,
      meta,
      isLeader: port.leader()?.id === id,
      isLive,
      isHealthy: isLive && (!isItself || committer?.isWritable === true),
      lastIndex: isItself ? log.durableIndex : member.flushed,
      lastContact: isItself ? port.lastContact() : contactOf(known, clock?.elapsed() ?? 0),
      since: clock ? Math.floor(clock.now() - (clock.elapsed() - since)) : 0
    }
  }
}

/** As another server last told; with the time since then, once it is not heard of any more. In whole ms. */
const contactOf = ({ member, isLive, heardAt }: KnownMember, now: number): number =>
  member.lastContact + (isLive ? 0 : Math.max(Math.round(now - heardAt), 0))
