import pLimit from 'p-limit'
import { isObject } from '../../../events/values.js'
import type { Answer } from '../../typescript/answer.js'
import type { Connection, Query, Sending } from '../../typescript/connection.js'
import { RequestRefused } from '../../typescript/failures.js'
import { parseExact } from '../../exact-json.js'
import { isBuiltIn, textIn, type Row } from './resource.js'

const UNAUTHORIZED = 401
const DENIED = 403
const NOT_FOUND = 404
const INVALID = 400

/** Servers set it if the token may not read all entries of a list. Versions before 1.11 lack it. */
const FILTERED = ['X-Consul-Results-Filtered-By-ACLs', 'X-Service-Results-Filtered-By-ACLs'] as const

/** A permission on all names, as in `/v1/internal/acl/authorize`. */
export interface Permission {
  readonly Resource: string
  readonly Access: string
}

/** Detects that the server's version has no such config entry kind. Consul 1.10 answers 500. */
const isUnknownKind = ({ status, text }: RequestRefused, kind: string): boolean =>
  status === INVALID || (status !== DENIED && /\bkind\b/.test(text) && text.includes(kind))

const hasNoAcls = (error: unknown): boolean =>
  error instanceof RequestRefused && error.status === UNAUTHORIZED && /ACL support disabled/i.test(error.text)

/** A server and one of its namespaces. */
export class Reader {
  #isFiltered = false

  /** @param headers added to every request */
  constructor(
    private readonly connection: Connection,
    private readonly headers: Readonly<Record<string, string>> = {},
    readonly namespace = 'default'
  ) {}

  in(namespace: string): Reader {
    return new Reader(this.connection, this.headers, namespace)
  }

  /** The token may not read all of some response. */
  get isFiltered(): boolean {
    return this.#isFiltered
  }

  /** Returns an empty list if the server does not know the path. @throws RequestRefused, Unreachable */
  async list(path: string, query: Query = {}): Promise<readonly Row[]> {
    const found = await this.#read(path, query)
    return Array.isArray(found) ? found.filter(isObject) : []
  }

  /** Returns the config entries of a kind, undefined if the server does not know the kind. @throws RequestRefused, Unreachable */
  async configEntries(kind: string): Promise<readonly Row[] | undefined> {
    try {
      return await this.list(`/v1/config/${kind}`)
    } catch (error) {
      if (error instanceof RequestRefused && isUnknownKind(error, kind)) return undefined
      throw error
    }
  }

  /** Returns undefined if the resource does not exist. @throws RequestRefused, Unreachable */
  async one(path: string): Promise<Row | undefined> {
    const found = await this.#read(path, {})
    return isObject(found) ? found : undefined
  }

  /** Returns the lacking permissions; none without ACLs. @throws RequestRefused if the server cannot check them, Unreachable */
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
    // Servers without namespaces reject the parameter.
    const parameters = { ...query, ...(isDefault ? {} : { ns: this.namespace }) }
    try {
      const answer = await this.#request('GET', path, { query: parameters })
      this.#isFiltered ||= FILTERED.some(name => answer.headers.get(name) === 'true')
      return parseExact(await answer.text())
    } catch (error) {
      if (hasNoAcls(error) || (error instanceof RequestRefused && error.status === NOT_FOUND))
        return undefined
      throw error
    }
  }

  #request(method: 'GET' | 'POST', path: string, sending: Sending): Promise<Answer> {
    return this.connection.request(method, path, { ...sending, headers: this.headers })
  }
}

/** A list of the resources of a kind. */
export interface Listing {
  readonly list: string
  readonly query?: Query
  readonly isOmitted?: (row: Row) => boolean
  /** Detects the entries that lack fields of their resources, which are then read one by one. */
  readonly isPartial?: (row: Row) => boolean
  /** The path of the kind, below which each resource has its own. */
  readonly path?: string
  readonly idField?: string
}

const always = (): boolean => true

export const ACL_LISTS = {
  policy: {
    list: '/v1/acl/policies',
    path: '/v1/acl/policy',
    idField: 'ID',
    isOmitted: isBuiltIn,
    isPartial: always
  },
  role: { list: '/v1/acl/roles', path: '/v1/acl/role', idField: 'ID' },
  'auth-method': {
    list: '/v1/acl/auth-methods',
    path: '/v1/acl/auth-method',
    idField: 'Name',
    isPartial: always
  },
  'binding-rule': { list: '/v1/acl/binding-rules', path: '/v1/acl/binding-rule', idField: 'ID' },
  token: {
    list: '/v1/acl/tokens',
    path: '/v1/acl/token',
    idField: 'AccessorID',
    // Versions before 1.11 omit the secrets from lists, and all versions omit the rules of legacy tokens.
    isPartial: row => textIn(row, 'SecretID') === '' || row['Legacy'] === true
  }
} satisfies Readonly<Record<string, Listing>>

/** Maximum of concurrent reads. */
const AT_ONCE = 16

/** Reads each listed resource, and returns the value of `valueOf` unless it is undefined. @throws RequestRefused, Unreachable */
export const readListed = async <Value>(
  reader: Reader,
  { list, query, isOmitted, isPartial, path, idField = 'Name' }: Listing,
  valueOf: (read: Promise<Row | undefined>, entry: Row) => Promise<Value | undefined>
): Promise<readonly Value[]> => {
  const limit = pLimit(AT_ONCE)
  const rows = (await reader.list(list, query)).filter(row => !isOmitted?.(row))
  const read = async (row: Row): Promise<Row | undefined> =>
    isPartial?.(row) ? reader.one(`${path}/${encodeURIComponent(textIn(row, idField))}`) : row
  const values = await Promise.all(rows.map(row => limit(() => valueOf(read(row), row))))
  return values.filter(value => value !== undefined)
}
