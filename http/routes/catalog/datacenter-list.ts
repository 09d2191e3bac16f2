// The other datacenters as responses show them. A server that knows none has an empty list.
import type { InjectionToken } from 'tsyringe'
import type { Coord } from '../../../events/node.js'
import type { Server } from '../operator/cluster-servers.js'

/** A server of another datacenter. */
export type RemoteServer = Pick<Server, 'id' | 'name' | 'bind' | 'isLive'>

/** What is known of another datacenter. */
export interface RemoteDatacenterInfo {
  readonly name: string
  /** The last known servers; empty before the first response. */
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
