// One auth method with its secrets, and its answers, serialised once per change.
import {
  authMethodDefinition,
  CONFIG_SECRETS,
  type AuthMethod,
  type AuthMethodConfigInput
} from '../../events/auth-method.js'
import type { Tenancy } from '../../events/envelope.js'
import { resourceViewsOf, type ResourceView } from '../definition/resource-views.js'
import { HIDDEN } from './token-row.js'

const isSecret = (key: string): boolean => CONFIG_SECRETS.some(secret => secret === key)

const shown = resourceViewsOf(authMethodDefinition)
const listed = resourceViewsOf(authMethodDefinition, 'listed')

/** As clients know it, the life of the tokens comes first. */
const text = (answer: ResourceView): string => JSON.stringify({ MaxTokenTTL: undefined, ...answer })

const hidden = (config: AuthMethodConfigInput): AuthMethodConfigInput =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key, isSecret(key) ? HIDDEN : value]))

/** A method as the read model holds it. */
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

  /** The answer of a read; without `acl:write` secrets are hidden (decisions.md 18). */
  json(isHidden: boolean): string {
    return isHidden ? this.#hiddenJson : this.#json
  }
}
