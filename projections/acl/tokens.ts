import type { Link } from '../../events/definition/types.js'
import type { Tenancy } from '../../events/envelope.js'
import { tokenEvents, type Token, type TokenEvent } from '../../events/token.js'
import type { Watch } from '../watch.js'
import { byText, nameKey, spaceOf } from '../row-table.js'
import { TenancyRows } from '../table-projection.js'
import { accessorKey, TokenRow } from './token-row.js'

const NONE: readonly string[] = []
const ids = (links: readonly Link[]): readonly string[] =>
  links.length === 0 ? NONE : links.map(link => link.ID)

const byCreation = (a: TokenRow, b: TokenRow): number =>
  a.token.CreateIndex - b.token.CreateIndex || byText(a.key, b.key)

/**
 * Tokens by accessor, secret, policy, role and auth method, listed in the order of their secrets, in pages by accessor.
 * Costs: look-ups O(1), a change O(1), a list O(tokens listed). About 1.5 kB a token.
 * Watch keys begin with `tokens` and `token/`, the latter followed by the accessor in lower case.
 */
export class Tokens extends TenancyRows<
  TokenRow,
  Token,
  TokenEvent,
  'secret',
  'policy' | 'role' | 'authMethod' | 'specification'
> {
  constructor(watch: Watch, below?: Tokens) {
    super(
      watch,
      { plural: 'tokens', singular: 'token' },
      {
        events: tokenEvents,
        rowOf: ({ Payload: { ACLToken }, Secrets }, tenancy, rows) => {
          const secret = Secrets?.['SecretID'] ?? rows.get(accessorKey(ACLToken.AccessorID))?.secret ?? ''
          return new TokenRow(ACLToken, secret, tenancy)
        },
        resourceOf: row => row.token,
        secretsOf: row => ({ SecretID: row.secret }),
        keyOf: accessorKey,
        key: row => row.key,
        order: row => row.order,
        // A page key must not disclose a secret.
        pageKey: row => row.key,
        unique: { secret: row => row.secret || undefined },
        multi: {
          policy: row => ids(row.token.Policies),
          role: row => ids(row.token.Roles),
          authMethod: ({ token, tenancy }) => {
            if (token.AuthMethod === '') return NONE
            const namespace = token.AuthMethodNamespace ?? tenancy.namespace
            return [nameKey({ partition: tenancy.partition, namespace }, token.AuthMethod)]
          },
          specification: ({ token: { Specification, RotatedTo }, tenancy }) =>
            Specification === undefined || RotatedTo !== undefined
              ? NONE
              : [`${spaceOf(tenancy)}/${Specification}`]
        }
      },
      below
    )
  }

  /** Finds a token by its accessor in any letter case, including one that has expired but is not yet swept. */
  get(accessor: string): TokenRow | undefined {
    return this.table.get(accessorKey(accessor))
  }

  /**
   * Finds a token by its secret, including an expired one. A Map compares a hash with a random seed per process before
   * it compares text, so the time discloses nothing about a guess.
   */
  bySecret(secret: string): TokenRow | undefined {
    return this.table.find('secret', secret)
  }

  /** The tokens with a direct link to this policy or role, in no order, in a list that never changes. */
  linkedTo(kind: 'policy' | 'role', id: string): readonly TokenRow[] {
    return [...this.table.sharing(kind, id)]
  }

  isLinked(kind: 'policy' | 'role', id: string): boolean {
    return this.table.isShared(kind, id)
  }

  /** The tokens of logins with an auth method, in any tenancy, in no order, in a list that never changes. */
  ofLogins(tenancy: Tenancy, authMethod: string): readonly TokenRow[] {
    return [...this.table.sharing('authMethod', nameKey(tenancy, authMethod))]
  }

  /** The same in the order of their creation. */
  createdByLogin(tenancy: Tenancy, authMethod: string): readonly TokenRow[] {
    return this.ofLogins(tenancy, authMethod).toSorted(byCreation)
  }

  /** Finds the oldest token of a specification that no rotation has replaced. */
  specifiedBy(tenancy: Tenancy, specification: string): TokenRow | undefined {
    const rows = [...this.table.sharing('specification', `${spaceOf(tenancy)}/${specification}`)]
    return rows.toSorted((a, b) => a.token.CreateIndex - b.token.CreateIndex)[0]
  }

  /** Every token with an expiration time. Cost: all tokens. */
  *expiring(): Iterable<TokenRow> {
    for (const row of this.table.all()) if (row.expiresAt !== Infinity) yield row
  }
}
