// Read model of the ACL tokens.
import type { Link } from '../../events/definition/types.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isTokenEvent, TOKEN_TOPIC, type TokenUpserted } from '../../events/token.js'
import type { Projection } from '../projection.js'
import { fact, type Fact } from '../saved-form.js'
import { tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'
import { nameKey, TenancyRows } from './tenancy-rows.js'
import { TokenRow } from './token-row.js'

/** Accessor IDs are looked up without regard to letter case (acl.md §3.4). */
const accessorKey = (accessor: string): string => accessor.toLowerCase()
const NONE: readonly string[] = []
const ids = (links: readonly Link[]): readonly string[] =>
  links.length === 0 ? NONE : links.map(link => link.ID)

/**
 * Tokens by accessor, secret, policy, role and auth method, listed in the order of their secrets, in pages by accessor.
 * Costs: look-ups O(1), a change O(1), a list O(tokens listed). About 1.5 kB a token.
 * Watch keys begin with `tokens` and `token/`, the latter with the accessor in lower case behind it.
 */
export class Tokens
  extends TenancyRows<TokenRow, 'secret', 'policy' | 'role' | 'authMethod'>
  implements Projection
{
  readonly topics = [TOKEN_TOPIC]

  constructor(watch: Watch) {
    super(
      watch,
      { plural: 'tokens', singular: 'token' },
      {
        key: row => accessorKey(row.token.AccessorID),
        // An erased secret is none: no request has it, and others may lack theirs as well.
        order: row => row.secret || row.token.AccessorID,
        // A page must not tell a secret.
        pageKey: row => accessorKey(row.token.AccessorID),
        unique: { secret: row => row.secret || undefined },
        multi: {
          policy: row => ids(row.token.Policies),
          role: row => ids(row.token.Roles),
          authMethod: ({ token, tenancy }) => {
            if (token.AuthMethod === '') return NONE
            const namespace = token.AuthMethodNamespace ?? tenancy.namespace
            return [nameKey({ partition: tenancy.partition, namespace }, token.AuthMethod)]
          }
        }
      }
    )
  }

  get size(): number {
    return this.table.size
  }

  /** The token with this accessor in any letter case, also when it has expired but is not yet swept. */
  get(accessor: string): TokenRow | undefined {
    return this.table.get(accessorKey(accessor))
  }

  /**
   * The token with this secret, also when it has expired. A Map's look-up compares by a hash seeded at random for each
   * process before it compares text, so its time tells a guesser nothing about how near a guess came.
   */
  bySecret(secret: string): TokenRow | undefined {
    return this.table.find('secret', secret)
  }

  /** The tokens that link directly to this policy or role, in the order of their secrets. */
  linkedTo(kind: 'policy' | 'role', id: string): TokenRow[] {
    return [...this.table.sharing(kind, id)].toSorted((a, b) => (a.secret < b.secret ? -1 : 1))
  }

  /**
   * The tokens that logins with this auth method of a tenancy made, wherever they are, in the order of their secrets.
   * The method's letter case may have changed since, so it does not matter.
   */
  madeBy(tenancy: Tenancy, authMethod: string): TokenRow[] {
    return [...this.table.sharing('authMethod', nameKey(tenancy, authMethod))].toSorted((a, b) =>
      a.secret < b.secret ? -1 : 1
    )
  }

  /** Every token that will expire, for the deadlines at a start. Cost: all tokens. */
  *expiring(): Iterable<TokenRow> {
    for (const row of this.table.all()) if (row.expiresAt !== Infinity) yield row
  }

  apply(event: Event, commit: Commit): void {
    if (!isTokenEvent(event)) return
    const token = event.Payload.ACLToken
    const key = accessorKey(token.AccessorID)
    const tenancy = tenancyOf(event)
    if (event.Type === 'ACLTokenUpserted') {
      const secret = event.Secrets?.['SecretID'] ?? this.table.get(key)?.secret ?? ''
      this.table.put(new TokenRow(token, secret, tenancy), commit.Index)
    } else this.table.delete(key, commit.Index)
    this.touch(tenancy, key)
  }

  protected factOf({ tenancy, token, secret }: TokenRow): Fact {
    return fact<TokenUpserted>({
      Topic: TOKEN_TOPIC,
      Type: 'ACLTokenUpserted',
      Key: token.AccessorID,
      tenancy,
      Index: token.ModifyIndex,
      Payload: { ACLToken: token },
      Secrets: { SecretID: secret }
    })
  }
}
