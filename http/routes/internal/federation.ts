// The mesh gateways of each datacenter, by which services of different datacenters reach each other.
import type { InjectionToken } from 'tsyringe'

/** A mesh gateway, as health endpoints show it. */
export interface MeshGateway {
  readonly node: string
  readonly service: string
  /** Node, service and checks. */
  readonly json: string
}

/** What a datacenter tells of its mesh gateways. */
export interface FederationState {
  readonly datacenter: string
  readonly gateways: readonly MeshGateway[]
  /** When the server saw that they had changed, RFC 3339. */
  readonly updatedAt: string
  /** Index, in the datacenter itself, of the last change of any of them. */
  readonly modifyIndex: number
}

/** Touched when the state of another datacenter changes. */
export const FEDERATION_KEY = 'federation-states'

export interface Federation {
  /** Those of the other datacenters that have told theirs, as they were told last. */
  others(): readonly FederationState[]
}

export const FEDERATION: InjectionToken<Federation> = Symbol('Federation')

/** For a server that knows of no other datacenter. */
export const noFederation: Federation = { others: () => [] }
