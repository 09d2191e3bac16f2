// Commands on namespaces (spec: tenancy.md §2, §3). The tenancy of each is the namespace itself.
import type { Command } from '../command.js'
import type { LinkDraft } from '../grants/drafts.js'

/** What a caller may say of a namespace; what is absent was not said. */
export interface NamespaceDraft {
  readonly Description: string
  readonly ACLs:
    { readonly PolicyDefaults: readonly LinkDraft[]; readonly RoleDefaults: readonly LinkDraft[] } | undefined
  readonly Meta: Readonly<Record<string, string>>
}

/** Creates the namespace, or replaces what it says. `newPolicyId` is for the policy that a new one receives. */
export type SetNamespace = Command<'SetNamespace', NamespaceDraft & { readonly newPolicyId: string }>
/** Marks the namespace for deletion; what is in it goes in the background. */
export type DeleteNamespace = Command<'DeleteNamespace', null>
/** The same as a part of the deletion of its partition, which takes the namespace `default` along. */
export type DeleteNamespaceOfPartition = Command<'DeleteNamespaceOfPartition', null>
/** Removes the marked namespace, in which nothing is left. */
export type RemoveNamespace = Command<'RemoveNamespace', null>
export type NamespaceCommand = SetNamespace | DeleteNamespace | DeleteNamespaceOfPartition | RemoveNamespace
