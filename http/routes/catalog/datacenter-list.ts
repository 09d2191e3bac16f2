// The other datacenters as clients are told of them. A server that knows of none is alone in the wide area.
import type { InjectionToken } from 'tsyringe'
import type { Coord } from '../../../events/node.js'
import type { Server } from '../operator/cluster-servers.js'

/** A server of another datacenter. */
export type RemoteServer = Pick<Server, 'id' | 'name' | 'bind' | 'isLive'>

/** What is known of another datacenter. */
export interface RemoteDatacenterInfo {
  readonly name: string
  /** Those that it told of last; none before it has answered. */
  readonly servers: readonly RemoteServer[]
  /** The places of those of its servers that have answered, by their names. */
  readonly coords: ReadonlyMap<string, Coord>
}

export interface DatacenterList {
  /** Nearest first, those at an unknown distance last, by name. */
  others(): readonly RemoteDatacenterInfo[]
  /** Where this server is, as it has measured; undefined before that. */
  place(): Coord | undefined
}

export const DATACENTER_LIST: InjectionToken<DatacenterList> = Symbol('WideArea')

/** For a server that knows of no other datacenter. */
export const singleDatacenter: DatacenterList = { others: () => [], place: () => undefined }
