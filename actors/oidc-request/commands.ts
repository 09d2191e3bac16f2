// Commands on pending OIDC requests (spec: auth.md §10.2).
import type { OidcSecrets } from '../../events/oidc-request.js'
import type { Command } from '../command.js'

/** The command's tenancy is that of the auth method. */
export type OpenOidcRequest = Command<
  'OpenOidcRequest',
  OidcSecrets & {
    readonly newId: string
    readonly method: string
    readonly redirectUri: string
    readonly meta: Readonly<Record<string, string>>
  }
>
/** Uses a request up, whatever becomes of it then. */
export type UseOidcRequest = Command<'UseOidcRequest', { readonly state: string; readonly method: string }>
/** Forgets those of the requests that have expired at the time of the command. */
export type ExpireOidcRequests = Command<'ExpireOidcRequests', { readonly ids: readonly string[] }>
export type OidcRequestCommand = OpenOidcRequest | UseOidcRequest | ExpireOidcRequests
