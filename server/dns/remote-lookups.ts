// The port for DNS lookups in other datacenters (spec: queries.md §8.1).
import type { InjectionToken } from 'tsyringe'
import type { Instance, InstanceNode } from '../../projections/queries/instance.js'
import type { DnsLookup, DnsTenancy } from './names.js'

export type ServiceLookup = Extract<DnsLookup, { readonly kind: 'service' | 'connect' | 'ingress' }>

/** The result of a prepared query, possibly from a third datacenter. */
export interface RemoteLookupResult {
  readonly instances: readonly Instance[]
  readonly datacenter: string
  readonly service: string
  /** TTL of the query, a duration; empty for none. */
  readonly ttl: string
}

/** All reject if the datacenter does not answer in time, or refuses. @param secret token whose permissions apply there */
export interface RemoteLookups {
  /** Returns all visible instances, with any checks and tags. */
  instances(
    datacenter: string,
    lookup: ServiceLookup,
    secret: string | undefined
  ): Promise<readonly Instance[]>
  /** Undefined if no node is visible. */
  node(
    datacenter: string,
    node: string,
    place: Pick<DnsTenancy, 'partition'>,
    secret: string | undefined
  ): Promise<InstanceNode | undefined>
  /** Undefined if the query does not exist. @param address of the client, for `_ip` */
  query(
    datacenter: string,
    name: string,
    address: string,
    secret: string | undefined
  ): Promise<RemoteLookupResult | undefined>
}

export const REMOTE_LOOKUPS: InjectionToken<RemoteLookups> = Symbol('Elsewhere')
