// The servers of the cluster. A single server leads a cluster of one.
import type { InjectionToken } from 'tsyringe'
import type { Committer } from '../../../actors/committer.js'
import type { Views } from '../../../projections/read-models.js'
import { programVersion } from '../../../events/version.js'
import { advertisedOf } from '../../../server/settings/listeners.js'
import type { Settings } from '../../../server/settings/settings.js'

export interface Server {
  /** ID of its own node. */
  readonly id: string
  /** Name of its own node. */
  readonly name: string
  /** The address that it listens on, without scheme and port. */
  readonly bind: string
  /** URL of its HTTP API for other servers: `http://10.0.0.1:8500`. */
  readonly address: string
  /** Version of its program. */
  readonly version: string
  readonly meta: Readonly<Record<string, string>>
  readonly isLeader: boolean
  /** True if it is responsive. */
  readonly isLive: boolean
  /** True if it is responsive and can write. */
  readonly isHealthy: boolean
  /** Newest commit that it is known to have stored. */
  readonly lastIndex: number
  /** Time since it was last known to be up to date, in whole ms. */
  readonly lastContact: number
  /** Time of the last change of `isLive`, in epoch ms. */
  readonly since: number
}

export interface Connectivity {
  /** True if this server reaches the servers that it depends on. */
  readonly isSound: boolean
  /** One sentence each. A sound leader may have some, too. */
  readonly reasons: readonly string[]
}

export interface Servers {
  /** By name. */
  list(): readonly Server[]
  /** Returns undefined without a known leader. */
  leader(): Server | undefined
  /** Increases with each leader. */
  term(): number
  connectivity(): Connectivity
  /** Returns the number of servers that may fail without an outage. */
  tolerance(): number
  /**
   * Removes an unresponsive server, so that nothing waits for it.
   * @throws Refusal `invalid` if it is unknown or responsive
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
    address: advertisedOf(settings),
    version: programVersion(),
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
