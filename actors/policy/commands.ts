// Commands on ACL policies (spec: acl.md §4).
import type { Command } from '../command.js'

/** What a caller may say of a policy. */
export interface PolicyDraft {
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  /** Undefined when the caller did not name any. */
  readonly Datacenters: readonly string[] | undefined
}

export type CreatePolicy = Command<'CreatePolicy', PolicyDraft & { readonly newId: string }>
export type UpdatePolicy = Command<'UpdatePolicy', PolicyDraft & { readonly id: string }>
export type DeletePolicy = Command<'DeletePolicy', { readonly id: string }>
export type PolicyCommand = CreatePolicy | UpdatePolicy | DeletePolicy
