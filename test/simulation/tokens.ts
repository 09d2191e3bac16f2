// Operations on tokens: each client creates its own, uses them and deletes them.
import type { WriteSeen } from './history.js'
import type { KeyOperations } from './keys.js'
import { isTrue, type Answer, type Requests } from './requests.js'

const MOST_TOKENS = 3
const DENIED = 403

/** The name of a token in the history. */
export const tokenName = (accessor: string): string => `token ${accessor}`

interface Token {
  readonly accessor: string
  readonly secret: string
  /** How it is created. */
  readonly creation: WriteSeen
}

export class TokenOperations {
  /** Those that were asked for last. The history tells which exist. */
  readonly #tokens: Token[] = []

  constructor(
    private readonly requests: Requests,
    private readonly keys: KeyOperations
  ) {}

  readonly choices: readonly (() => Promise<unknown>)[] = [
    () => this.#create(),
    () => this.#read(''),
    () => this.#read('?stale'),
    () => this.#delete()
  ]

  async #create(): Promise<void> {
    const { random } = this.requests
    const [accessor, secret] = [random.uuid(), random.uuid()]
    const description = this.requests.newValue()
    const creation: WriteSeen = {
      kind: 'write',
      key: tokenName(accessor),
      value: description,
      outcome: 'unknown'
    }
    this.#tokens.push({ accessor, secret, creation })
    this.requests.scene.secrets.set(accessor, secret)
    if (this.#tokens.length > MOST_TOKENS) this.#tokens.shift()
    const body = JSON.stringify({
      AccessorID: accessor,
      SecretID: secret,
      Description: description,
      Policies: [{ Name: 'global-management' }]
    })
    await this.requests.write(creation, { method: 'PUT', path: '/v1/acl/token', body }, () => true)
  }

  /** Reads a key with a token: denied if there is no such token. */
  async #read(query: '' | '?stale'): Promise<void> {
    const token = this.requests.pick(this.#tokens)
    if (!token) return this.#create()
    const { accessor, secret, creation } = token
    const key = this.keys.anyKey()
    const shown = (reply: Answer): ReadonlyMap<string, string | undefined> =>
      reply.status === DENIED
        ? new Map([[tokenName(accessor), undefined]])
        : new Map([[tokenName(accessor), creation.value], ...this.keys.shown(key, reply)])
    const outgoing = { method: 'GET', path: `/v1/kv/${key}${query}`, token: secret }
    await this.requests.read(outgoing, shown, query === '?stale')
  }

  async #delete(): Promise<void> {
    const token = this.requests.pick(
      this.#tokens.filter(({ creation }) => creation.outcome === 'acknowledged')
    )
    if (!token) return this.#create()
    const path = `/v1/acl/token/${token.accessor}`
    const deletion: WriteSeen = {
      kind: 'write',
      key: tokenName(token.accessor),
      value: undefined,
      outcome: 'unknown'
    }
    await this.requests.write(deletion, { method: 'DELETE', path }, isTrue)
  }
}
