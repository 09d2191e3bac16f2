// The servers of the cluster, as operators and clients see them. A server alone is a cluster of one that it leads.
import type { InjectionToken } from 'tsyringe'
import type { Committer } from '../../../actors/committer.js'
import type { Views } from '../../../projections/read-models.js'
import type { Settings } from '../../../server/settings/settings.js'

export interface Server {
  /** ID of its own node. */
  readonly id: string
  /** Name of its own node. */
  readonly name: string
  /** Where it listens, without scheme and port. */
  readonly bind: string
  readonly meta: Readonly<Record<string, string>>
  readonly isLeader: boolean
  /** Whether it is heard of. */
  readonly isLive: boolean
  /** Whether it does its part: it is heard of, and can write. */
  readonly isHealthy: boolean
  /** Newest commit that it is known to hold. */
  readonly lastIndex: number
  /** For how long nothing has proved that it has everything, in whole ms. */
  readonly lastContact: number
  /** Since when it has been heard of, or not, in epoch ms. */
  readonly since: number
}

/** How this server and the others of its cluster reach each other. */
export interface Connectivity {
  /** Whether this server can do what it needs the others for. */
  readonly isSound: boolean
  /** Each in a sentence; a leader that is sound may have some, too. */
  readonly reasons: readonly string[]
}

export interface Servers {
  /** By name. */
  list(): readonly Server[]
  /** Undefined while there is no leader or it is not known. */
  leader(): Server | undefined
  /** Larger with each leader. */
  term(): number
  connectivity(): Connectivity
  /** How many servers may fail, and everything is still served. */
  tolerance(): number
  /**
   * Forgets a server that is not heard of any more, so that nothing waits for it.
   * @throws Refusal `invalid` when it is not known, or still there
   */
  forget(id: string): Promise<void>
}

export const SERVERS: InjectionToken<Servers> = Symbol('Servers')

/** The term of a server without followers. */
const TERM = 1

export const SOUND: Connectivity = { isSound: true, reasons: [] }

/** The only server of a cluster. */
export const singleServer = (settings: Settings, views: Views, committer: Committer): Servers => {
  const since = Math.floor(performance.timeOrigin / 1000) * 1000
  const itself = (): Server => ({
    id: settings.node_id,
    name: settings.node_name,
    bind: settings.bind,
    meta: settings.node_meta,
    isLeader: true,
    isLive: true,
    isHealthy: committer.isWritable,
    lastIndex: views.index,
    lastContact: 0,
    since
  })
  return {
    list: () => [itself()],
    leader: itself,
    term: () => TERM,
    connectivity: () => SOUND,
    tolerance: () => 0,
    forget: () => Promise.resolve()
  }
}
