// Commands on auth methods (spec: auth.md §1).
import type { GivenConfig, NamespaceRule } from '../../events/auth-method.js'
import type { Command } from '../command.js'

/** What a caller may say of a method; empty texts stand for what was not said. */
export interface AuthMethodDraft {
  readonly Name: string
  readonly Type: string
  readonly DisplayName: string
  readonly Description: string
  /** Nanoseconds; 0 for none. */
  readonly MaxTokenTTL: number
  readonly TokenLocality: string
  readonly Config: GivenConfig
  readonly NamespaceRules: readonly NamespaceRule[]
}

/** Makes a method, or replaces the one of this name. */
export type PutAuthMethod = Command<'PutAuthMethod', AuthMethodDraft>
/** Deletes a method with its rules, its tokens and the logins that are under way. */
export type DeleteAuthMethod = Command<'DeleteAuthMethod', { readonly name: string }>
export type AuthMethodCommand = PutAuthMethod | DeleteAuthMethod
