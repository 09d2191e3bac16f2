// The other datacenters as responses show them. A server that knows none has an empty list.
import type { InjectionToken } from 'tsyringe'
import type { Coord } from '../../../events/node.js'
import type { Server } from '../operator/cluster-servers.js'

export type RemoteServer = Pick<Server, 'id' | 'name' | 'bind' | 'isLive'>

export interface RemoteDatacenterInfo {
  readonly name: string
  /** The last known servers; empty before the first response. */
  readonly servers: readonly RemoteServer[]
  /** The coordinates of the servers that have responded, by name. */
  readonly coords: ReadonlyMap<string, Coord>
}

export interface DatacenterList {
  /** Returns the nearest first. Those at an unknown distance come last, by name. */
  others(): readonly RemoteDatacenterInfo[]
  /** Returns the measured coordinate of this server; undefined before the first measurement. */
  place(): Coord | undefined
}

export const DATACENTER_LIST: InjectionToken<DatacenterList> = Symbol('WideArea')

export const singleDatacenter: DatacenterList = { others: () => [], place: () => undefined }
