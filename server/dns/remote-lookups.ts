// What DNS asks of other datacenters, for names that end with one of them (spec: queries.md §8.1).
import type { InjectionToken } from 'tsyringe'
import type { Instance, InstanceNode } from '../../projections/queries/instance.js'
import type { DnsLookup, DnsTenancy } from './names.js'

export type ServiceLookup = Extract<DnsLookup, { readonly kind: 'service' | 'connect' | 'ingress' }>

/** What a prepared query found there, or in a third datacenter. */
export interface RemoteLookupResult {
  readonly instances: readonly Instance[]
  /** Where the instances are. */
  readonly datacenter: string
  /** Name of the service that it asks for. */
  readonly service: string
  /** The query's own time to live, a duration; empty for none. */
  readonly ttl: string
}

/** All reject when the datacenter does not answer in time, or with a refusal. @param secret token, whose rights there count */
export interface RemoteLookups {
  /** All instances that may be seen there, whatever their checks say and whatever tags they have. */
  instances(
    datacenter: string,
    lookup: ServiceLookup,
    secret: string | undefined
  ): Promise<readonly Instance[]>
  /** Undefined where there is none that may be seen. */
  node(
    datacenter: string,
    node: string,
    place: Pick<DnsTenancy, 'partition'>,
    secret: string | undefined
  ): Promise<InstanceNode | undefined>
  /** Undefined where there is no such query. @param address of the client, for `_ip` */
  query(
    datacenter: string,
    name: string,
    address: string,
    secret: string | undefined
  ): Promise<RemoteLookupResult | undefined>
}

export const REMOTE_LOOKUPS: InjectionToken<RemoteLookups> = Symbol('Elsewhere')
