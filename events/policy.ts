// ACL policies: what a policy is, and the events of its life.
import type { Event } from './envelope.js'

/** A policy (spec: acl.md §4.1). `Rules` is the exact text given. */
export interface Policy {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  /** Datacenters in which the policy is valid; empty means all. */
  readonly Datacenters: readonly string[]
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const POLICY_TOPIC = 'ACLPolicy'
export type PolicyUpserted = Event<typeof POLICY_TOPIC, 'ACLPolicyUpserted', { readonly ACLPolicy: Policy }>
export type PolicyDeleted = Event<typeof POLICY_TOPIC, 'ACLPolicyDeleted', { readonly ACLPolicy: Policy }>
export type PolicyEvent = PolicyUpserted | PolicyDeleted

/** The built-in policy that grants everything. */
export const MANAGEMENT_POLICY_ID = '00000000-0000-0000-0000-000000000001'

/** Tells a policy's events from others; what the log holds under this topic was written by us. */
export const isPolicyEvent = (event: Event): event is PolicyEvent => event.Topic === POLICY_TOPIC
