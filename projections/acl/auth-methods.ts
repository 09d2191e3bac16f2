// Read model of the auth methods.
import {
  AUTH_METHOD_TOPIC,
  isAuthMethodEvent,
  redacted,
  secretsOf,
  type AuthMethodUpserted
} from '../../events/auth-method.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import type { Projection } from '../projection.js'
import { fact, type Fact } from '../saved-form.js'
import { tenancyOf } from '../tenancy-of.js'
import type { Watch } from '../watch.js'
import { AuthMethodRow } from './auth-method-row.js'
import { nameKey, TenancyRows } from './tenancy-rows.js'

/** Auth methods by name, ordered by lower-cased name; their watch keys begin with `auth-methods`. Look-ups O(1). */
export class AuthMethods extends TenancyRows<AuthMethodRow> implements Projection {
  readonly topics = [AUTH_METHOD_TOPIC]

  constructor(watch: Watch) {
    super(
      watch,
      { plural: 'auth-methods' },
      {
        key: row => nameKey(row.tenancy, row.method.Name),
        order: row => row.method.Name.toLowerCase(),
        unique: {},
        multi: {}
      }
    )
  }

  /** The method of this name in a tenancy; letter case does not matter. */
  named(tenancy: Tenancy, name: string): AuthMethodRow | undefined {
    return this.table.get(nameKey(tenancy, name))
  }

  apply(event: Event, commit: Commit): void {
    if (!isAuthMethodEvent(event)) return
    const { AuthMethod } = event.Payload
    const tenancy = tenancyOf(event)
    const key = nameKey(tenancy, AuthMethod.Name)
    if (event.Type === 'ACLAuthMethodUpserted') {
      const Config = { ...AuthMethod.Config, ...event.Secrets }
      this.table.put(new AuthMethodRow({ ...AuthMethod, Config }, tenancy), commit.Index)
    } else this.table.delete(key, commit.Index)
    this.touch(tenancy, key)
  }

  protected factOf({ tenancy, method }: AuthMethodRow): Fact {
    return fact<AuthMethodUpserted>({
      Topic: AUTH_METHOD_TOPIC,
      Type: 'ACLAuthMethodUpserted',
      Key: method.Name,
      tenancy,
      Index: method.ModifyIndex,
      Payload: { AuthMethod: redacted(method) },
      Secrets: secretsOf(method)
    })
  }
}
