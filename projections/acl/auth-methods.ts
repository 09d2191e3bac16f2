import {
  secretsOf,
  authMethodDefinition,
  CONFIG_SECRETS,
  authMethodEvents,
  type AuthMethod,
  type AuthMethodConfigInput,
  type AuthMethodEvent
} from '../../events/auth-method.js'
import type { Tenancy } from '../../events/envelope.js'
import { HIDDEN } from '../../events/values.js'
import type { Watch } from '../watch.js'
import { nameKey } from '../row-table.js'
import { TenancyRows } from '../table-projection.js'
import { resourceViewsOf, type ResourceView } from '../definition/resource-views.js'

const isSecret = (key: string): boolean => CONFIG_SECRETS.some(secret => secret === key)

const shown = resourceViewsOf(authMethodDefinition)
const listed = resourceViewsOf(authMethodDefinition, 'listed')

/** Clients expect the lifetime of the tokens first. */
const text = (answer: ResourceView): string => JSON.stringify({ MaxTokenTTL: undefined, ...answer })

const hidden = (config: AuthMethodConfigInput): AuthMethodConfigInput =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key, isSecret(key) ? HIDDEN : value]))

export class AuthMethodRow {
  /** The entry in a list. */
  readonly listJson: string
  readonly #json: string
  readonly #hiddenJson: string

  constructor(
    /** With its secrets. */
    readonly method: AuthMethod,
    readonly tenancy: Tenancy
  ) {
    this.listJson = text(listed(method, tenancy))
    this.#json = text(shown(method, tenancy))
    this.#hiddenJson = text(shown({ ...method, Config: hidden(method.Config) }, tenancy))
  }

  /** Returns the response of a read; hides secrets from callers without `acl:write` (decisions.md 18). */
  json(isHidden: boolean): string {
    return isHidden ? this.#hiddenJson : this.#json
  }
}

/** Auth methods by name, ordered by lower-cased name; their watch keys begin with `auth-methods`. Look-ups O(1). */
export class AuthMethods extends TenancyRows<AuthMethodRow, AuthMethod, AuthMethodEvent> {
  constructor(watch: Watch, below?: AuthMethods) {
    super(
      watch,
      { plural: 'auth-methods' },
      {
        events: authMethodEvents,
        rowOf: ({ Payload: { AuthMethod }, Secrets }, tenancy) =>
          new AuthMethodRow({ ...AuthMethod, Config: { ...AuthMethod.Config, ...Secrets } }, tenancy),
        resourceOf: row => row.method,
        secretsOf: row => secretsOf(row.method),
        keyOf: (name, tenancy) => nameKey(tenancy, name),
        key: row => nameKey(row.tenancy, row.method.Name),
        order: row => row.method.Name.toLowerCase(),
        unique: {},
        multi: {}
      },
      below
    )
  }

  named(tenancy: Tenancy, name: string): AuthMethodRow | undefined {
    return this.table.get(nameKey(tenancy, name))
  }
}
