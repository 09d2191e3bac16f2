import type { Tenancy } from '../../events/envelope.js'
import { oidcRequestEvents, type OidcRequest, type OidcRequestEvent } from '../../events/oidc-request.js'
import { parseTime } from '../../events/time.js'
import { nameKey } from '../row-table.js'
import { TableProjection } from '../table-projection.js'
import type { Watch } from '../watch.js'

export interface OidcRequestRow {
  readonly request: OidcRequest
  readonly tenancy: Tenancy
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** Empty if the client sent none. */
  readonly clientNonce: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

const rowOf = (
  { Payload: { OIDCRequest: request }, Secrets = {} }: OidcRequestEvent,
  tenancy: Tenancy
): OidcRequestRow => {
  const { State = '', Nonce = '', CodeVerifier = '', ClientNonce = '' } = Secrets
  const expiresAt = parseTime(request.ExpirationTime) ?? 0
  return {
    request,
    tenancy,
    state: State,
    nonce: Nonce,
    codeVerifier: CodeVerifier,
    clientNonce: ClientNonce,
    expiresAt
  }
}

/** Pending requests by state and by auth method. Every look-up and every change costs O(1); about 1 kB a request. */
export class OidcRequests extends TableProjection<
  OidcRequestRow,
  OidcRequest,
  OidcRequestEvent,
  'state',
  'method'
> {
  constructor(watch: Watch, below?: OidcRequests) {
    super(
      watch,
      {
        events: oidcRequestEvents,
        rowOf,
        resourceOf: row => row.request,
        secretsOf: ({ state, nonce, codeVerifier, clientNonce }) => ({
          State: state,
          Nonce: nonce,
          CodeVerifier: codeVerifier,
          ClientNonce: clientNonce
        }),
        key: row => row.request.ID,
        tenancy: row => row.tenancy,
        order: row => row.request.ID,
        // An erased state is empty, and several rows may have one.
        unique: { state: row => row.state || undefined },
        multi: { method: row => [nameKey(row.tenancy, row.request.AuthMethod)] }
      },
      below
    )
  }

  get(id: string): OidcRequestRow | undefined {
    return this.table.get(id)
  }

  /** Includes requests that have expired but are not yet swept. */
  withState(state: string): OidcRequestRow | undefined {
    return this.table.find('state', state)
  }

  ofMethod(tenancy: Tenancy, name: string): readonly OidcRequestRow[] {
    return [...this.table.sharing('method', nameKey(tenancy, name))]
  }
}
