// Commands on ACL roles (spec: acl.md §5).
import type { Command } from '../command.js'
import type { GrantDraft } from '../grants/drafts.js'

/** What a caller may say of a role. */
export interface RoleDraft extends GrantDraft {
  readonly Name: string
  readonly Description: string
}

export type CreateRole = Command<'CreateRole', RoleDraft & { readonly newId: string }>
export type UpdateRole = Command<'UpdateRole', RoleDraft & { readonly id: string }>
export type DeleteRole = Command<'DeleteRole', { readonly id: string }>
export type RoleCommand = CreateRole | UpdateRole | DeleteRole
