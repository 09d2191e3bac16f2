// The other datacenters as clients are told of them. A server that knows of none is alone in the wide area.
import type { InjectionToken } from 'tsyringe'
import type { Coord } from '../../../events/coordinate.js'
import type { Server } from '../operator/cluster-servers.js'

/** A server of another datacenter. */
export type WideServer = Pick<Server, 'id' | 'name' | 'bind' | 'isLive'>

/** What is known of another datacenter. */
export interface WideDatacenter {
  readonly name: string
  /** Those that it told of last; none before it has answered. */
  readonly servers: readonly WideServer[]
  /** The places of those of its servers that have answered, by their names. */
  readonly coords: ReadonlyMap<string, Coord>
}

export interface WideArea {
  /** Nearest first, those at an unknown distance last, by name. */
  others(): readonly WideDatacenter[]
  /** Where this server is, as it has measured; undefined before that. */
  place(): Coord | undefined
}

export const WIDE_AREA: InjectionToken<WideArea> = Symbol('WideArea')

/** For a server that knows of no other datacenter. */
export const aloneInArea: WideArea = { others: () => [], place: () => undefined }
