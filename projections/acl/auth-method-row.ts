// One auth method with its secrets, and its answers, serialised once per change.
import { CONFIG_SECRETS, type AuthMethod, type GivenConfig } from '../../events/auth-method.js'
import { formatDuration } from '../../events/duration.js'
import type { Tenancy } from '../../events/envelope.js'
import { shownTenancy } from '../shown-tenancy.js'
import { HIDDEN } from './token-row.js'

const isSecret = (key: string): boolean => CONFIG_SECRETS.some(secret => secret === key)

/** What a list shows: without Config. Empty fields are left out (spec: auth.md §1.2). */
const stub = (method: AuthMethod, tenancy: Tenancy) => ({
  ...(method.MaxTokenTTL === 0 ? {} : { MaxTokenTTL: formatDuration(method.MaxTokenTTL) }),
  Name: method.Name,
  Type: method.Type,
  ...(method.DisplayName === '' ? {} : { DisplayName: method.DisplayName }),
  ...(method.Description === '' ? {} : { Description: method.Description }),
  ...(method.TokenLocality === '' ? {} : { TokenLocality: method.TokenLocality }),
  ...shownTenancy(tenancy)
})

/** A method as the read model holds it. */
export class AuthMethodRow {
  /** With its secrets. */
  readonly method: AuthMethod
  readonly tenancy: Tenancy
  /** The entry in a list. */
  readonly listJson: string
  readonly #json: string
  readonly #hiddenJson: string

  constructor(method: AuthMethod, tenancy: Tenancy) {
    this.method = method
    this.tenancy = tenancy
    const { CreateIndex, ModifyIndex } = method
    const indexes = { CreateIndex, ModifyIndex }
    const head = stub(method, tenancy)
    this.listJson = JSON.stringify({ ...head, ...indexes })
    const text = (Config: GivenConfig): string =>
      JSON.stringify({
        ...head,
        Config,
        ...(method.NamespaceRules.length > 0 ? { NamespaceRules: method.NamespaceRules } : {}),
        ...indexes
      })
    this.#json = text(method.Config)
    const shown = Object.entries(method.Config).map(([key, value]) => [key, isSecret(key) ? HIDDEN : value])
    this.#hiddenJson = text(Object.fromEntries(shown))
  }

  /** The answer of a read; without `acl:write` secrets are hidden (decisions.md 18). */
  json(hidden: boolean): string {
    return hidden ? this.#hiddenJson : this.#json
  }
}
