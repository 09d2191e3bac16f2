// Reading from a server that has the API of Consul.
import type { Answer } from '../../typescript/answer.js'
import type { Connection, Query, Sending } from '../../typescript/connection.js'
import { RequestRefused } from '../../typescript/failures.js'
import { exactJson } from '../kv/entries.js'
import type { Row } from './resource.js'

const UNAUTHORIZED = 401
const DENIED = 403
const NOT_FOUND = 404
const INVALID = 400

/** Set by servers that removed entries from a list which the token may not read; versions before 1.11 lack it. */
const FILTERED = ['X-Consul-Results-Filtered-By-ACLs', 'X-Service-Results-Filtered-By-ACLs'] as const

/** A question of `/v1/internal/acl/authorize`, about all names. */
export interface Permission {
  readonly Resource: string
  readonly Access: string
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

/** Whether a server refused a config entry kind because its version has no such kind. Consul 1.10 answers 500. */
const isUnknownKind = ({ status, text }: RequestRefused, kind: string): boolean =>
  status === INVALID || (status !== DENIED && /\bkind\b/.test(text) && text.includes(kind))

/** Whether a server has no ACL system, and so neither tokens nor limits of them. */
const hasNoAcls = (error: unknown): boolean =>
  error instanceof RequestRefused && error.status === UNAUTHORIZED && /ACL support disabled/i.test(error.text)

/** A server, and a namespace of it. */
export class Reader {
  #isFiltered = false

  /** @param headers of every request, in place of those of the connection where these are not understood */
  constructor(
    private readonly connection: Connection,
    private readonly headers: Readonly<Record<string, string>> = {},
    readonly namespace = 'default'
  ) {}

  in(namespace: string): Reader {
    return new Reader(this.connection, this.headers, namespace)
  }

  /** Whether the server said of any answer that its token may not read all of it. */
  get isFiltered(): boolean {
    return this.#isFiltered
  }

  /**
   * What a path lists; nothing where the server does not know the path, or knows of nothing there.
   * @throws RequestRefused when it may not be read, Unreachable
   */
  async list(path: string, query: Query = {}): Promise<readonly Row[]> {
    const found = await this.#read(path, query)
    return Array.isArray(found) ? found.filter(isRow) : []
  }

  /**
   * Returns the config entries of a kind; undefined where the server does not know the kind.
   * @throws RequestRefused when they may not be read, Unreachable
   */
  async configEntries(kind: string): Promise<readonly Row[] | undefined> {
    try {
      return await this.list(`/v1/config/${kind}`)
    } catch (error) {
      if (error instanceof RequestRefused && isUnknownKind(error, kind)) return undefined
      throw error
    }
  }

  /** One resource; undefined when it is gone. @throws RequestRefused, Unreachable */
  async one(path: string): Promise<Row | undefined> {
    const found = await this.#read(path, {})
    return isRow(found) ? found : undefined
  }

  /**
   * Returns those permissions that the token lacks. A server whose ACLs are off denies nothing.
   * @throws RequestRefused when the server does not answer the question, Unreachable
   */
  async lacking(permissions: readonly Permission[]): Promise<readonly Permission[]> {
    const Namespace = this.namespace === 'default' ? {} : { Namespace: this.namespace }
    const body = permissions.map(permission => ({ ...permission, ...Namespace, Segment: '' }))
    try {
      const answer = await this.#request('POST', '/v1/internal/acl/authorize', { body })
      const rulings = await answer.json<readonly { readonly Allow?: unknown }[]>()
      return permissions.filter((_, i) => rulings[i]?.Allow !== true)
    } catch (error) {
      if (hasNoAcls(error)) return []
      throw error
    }
  }

  async #read(path: string, query: Query): Promise<unknown> {
    const isDefault = this.namespace === 'default'
    // A server without namespaces refuses the parameter.
    const parameters = { ...query, ...(isDefault ? {} : { ns: this.namespace }) }
    try {
      const answer = await this.#request('GET', path, { query: parameters })
      this.#isFiltered ||= FILTERED.some(name => answer.headers.get(name) === 'true')
      return exactJson(await answer.text())
    } catch (error) {
      if (error instanceof RequestRefused && error.status === NOT_FOUND) return undefined
      if (hasNoAcls(error)) return undefined
      throw error
    }
  }

  #request(method: 'GET' | 'POST', path: string, sending: Sending): Promise<Answer> {
    return this.connection.request(method, path, { ...sending, headers: this.headers })
  }
}
