import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import {
  isOidcRequestEvent,
  OIDC_REQUEST_TOPIC,
  oidcRequestEvents,
  type OidcRequest
} from '../../events/oidc-request.js'
import { parseTime } from '../../events/time.js'
import { type Projection, resourceFact, type Fact } from '../projection.js'
import { nameKey } from '../row-table.js'
import { TableProjection } from '../table-projection.js'

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

/** Pending requests by state and by auth method. Every look-up and every change costs O(1); about 1 kB a request. */
export class OidcRequests extends TableProjection<OidcRequestRow, 'state', 'method'> implements Projection {
  readonly topics = [OIDC_REQUEST_TOPIC]

  constructor(below?: OidcRequests) {
    super(
      {
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

  apply(event: Event, commit: Commit): void {
    if (!isOidcRequestEvent(event)) return
    const request = event.Payload.OIDCRequest
    if (event.Type === 'OIDCRequestClosed') {
      this.table.delete(request.ID, commit.Index)
      return
    }
    const { State = '', Nonce = '', CodeVerifier = '', ClientNonce = '' } = event.Secrets ?? {}
    this.table.put(
      {
        request,
        tenancy: { partition: event.Partition, namespace: event.Namespace },
        state: State,
        nonce: Nonce,
        codeVerifier: CodeVerifier,
        clientNonce: ClientNonce,
        expiresAt: parseTime(request.ExpirationTime) ?? 0
      },
      commit.Index
    )
  }

  factOf({ tenancy, request, ...row }: OidcRequestRow): Fact {
    return resourceFact(oidcRequestEvents, request, {
      tenancy,
      Index: request.CreateIndex,
      Secrets: {
        State: row.state,
        Nonce: row.nonce,
        CodeVerifier: row.codeVerifier,
        ClientNonce: row.clientNonce
      }
    })
  }
}
