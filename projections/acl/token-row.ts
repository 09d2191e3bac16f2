import type { Tenancy } from '../../events/envelope.js'
import { parseTime, ZERO_TIME } from '../../events/time.js'
import { tokenDefinition, type Token } from '../../events/token.js'
import { HIDDEN } from '../../events/values.js'
import { resourceViewsOf, type ResourceView } from '../definition/resource-views.js'
import type { NameSource } from '../../events/definition/forms/form.js'

const shown = resourceViewsOf(tokenDefinition)
const listed = resourceViewsOf(tokenDefinition, 'listed')

const HIDDEN_JSON = JSON.stringify(HIDDEN)
/** It occurs only after accessors, which contain no quotes. */
const SECRET_FIELD = '"SecretID":'

const expiry = ({ ExpirationTime }: Token): number =>
  ExpirationTime === undefined || ExpirationTime === ZERO_TIME
    ? Infinity
    : (parseTime(ExpirationTime) ?? Infinity)

/** Accessor IDs have any letter case (acl.md §3.4). */
export const accessorKey = (accessor: string): string => accessor.toLowerCase()

/** The response of a read is cached until a linked policy or role is renamed or removed. */
export class TokenRow {
  /** Epoch milliseconds after which the token is invalid; Infinity if it does not expire. */
  readonly expiresAt: number
  readonly key: string
  /** The secret; an erased one is empty, and several rows may have one. */
  readonly order: string
  #json = ''
  /** The range of the secret's text in the JSON. */
  #secretAt = 0
  #secretEnd = 0
  #namesVersion = -1

  constructor(
    readonly token: Token,
    readonly secret: string,
    readonly tenancy: Tenancy
  ) {
    this.expiresAt = expiry(token)
    this.key = accessorKey(token.AccessorID)
    this.order = secret || token.AccessorID
  }

  /** Decides by the clock (epoch milliseconds), not by the sweep. */
  isValid(now: number): boolean {
    return now <= this.expiresAt
  }

  /** Decides if this datacenter deletes the token: each one its local tokens, and the primary all others, which it replicates. */
  isOwned({ isPrimary }: { readonly isPrimary: boolean }): boolean {
    return isPrimary || this.token.Local
  }

  /** The response of a read (acl.md §3.1), with the real secret or `<hidden>`. */
  json(names: NameSource, hidden: boolean): string {
    const text = this.#text(names)
    return hidden ? `${text.slice(0, this.#secretAt)}${HIDDEN_JSON}${text.slice(this.#secretEnd)}` : text
  }

  /** The entry in a list: the response of a read, but `Legacy` replaces the rules of a legacy token. */
  listJson(names: NameSource, hidden: boolean): string {
    if (this.token.Rules === undefined) return this.json(names, hidden)
    const secret = hidden ? HIDDEN : this.secret
    return JSON.stringify({ ...listed(this.token, this.tenancy, { names, secret }), Legacy: true })
  }

  #text(names: NameSource): string {
    if (this.#namesVersion !== names.namesVersion) {
      const secret = JSON.stringify(this.secret)
      this.#json = JSON.stringify(this.toObject(names))
      this.#secretAt = this.#json.indexOf(SECRET_FIELD) + SECRET_FIELD.length
      this.#secretEnd = this.#secretAt + secret.length
      this.#namesVersion = names.namesVersion
    }
    return this.#json
  }

  /** The read form as an object, with the real secret. */
  toObject(names: NameSource): ResourceView {
    return shown(this.token, this.tenancy, { names, secret: this.secret })
  }
}
