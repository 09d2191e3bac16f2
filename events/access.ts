// Cluster-wide settings and identities: the ACL bootstrap (spec: acl.md §2.2, §2.3), autopilot, the cluster ID (spec: config.md §6.1).
import type { Event } from './envelope.js'

export const OPERATOR_TOPIC = 'Operator'
export const ACCESS_KEY = 'acl'

/** `ResetIndex` is the index of this commit: the number that a reset of the bootstrap must name. */
export interface Bootstrap {
  readonly AccessorID: string
  readonly ResetIndex: number
}

export type AccessBootstrapped = Event<
  typeof OPERATOR_TOPIC,
  'ACLBootstrapped',
  { readonly ACLBootstrap: Bootstrap }
>

export const isAccessBootstrapped = (event: Event): event is AccessBootstrapped =>
  event.Topic === OPERATOR_TOPIC && event.Type === 'ACLBootstrapped'
