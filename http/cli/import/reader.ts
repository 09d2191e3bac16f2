// Reading from a server that has the API of Consul.
import type { Connection, Query } from '../../../client/connection.js'
import { RequestRefused } from '../../../client/failures.js'
import { exactJson } from '../kv/entries.js'
import type { Row } from './thing.js'

const NOT_FOUND = 404
const INVALID = 400

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

/** A server, and a namespace of it. */
export class Reader {
  readonly #connection: Connection
  readonly #headers: Readonly<Record<string, string>>
  readonly #namespace: string

  /** @param headers of every request, in place of those of the connection where these are not understood */
  constructor(connection: Connection, headers: Readonly<Record<string, string>> = {}, namespace = 'default') {
    this.#connection = connection
    this.#headers = headers
    this.#namespace = namespace
  }

  in(namespace: string): Reader {
    return new Reader(this.#connection, this.#headers, namespace)
  }

  get namespace(): string {
    return this.#namespace
  }

  /**
   * What a path lists; nothing where the server does not know the path, or knows of nothing there.
   * @throws RequestRefused when it may not be read, Unreachable
   */
  async list(path: string, query: Query = {}): Promise<readonly Row[]> {
    const found = await this.#read(path, query)
    return Array.isArray(found) ? found.filter(isRow) : []
  }

  /** As `list`; undefined where the server does not know what is asked for. */
  async listKnown(path: string): Promise<readonly Row[] | undefined> {
    try {
      return await this.list(path)
    } catch (error) {
      if (error instanceof RequestRefused && error.status === INVALID) return undefined
      throw error
    }
  }

  /** One thing; undefined when it is gone. @throws RequestRefused, Unreachable */
  async one(path: string): Promise<Row | undefined> {
    const found = await this.#read(path, {})
    return isRow(found) ? found : undefined
  }

  async #read(path: string, query: Query): Promise<unknown> {
    const isDefault = this.#namespace === 'default'
    // A server without namespaces refuses the parameter.
    const parameters = { ...query, ...(isDefault ? {} : { ns: this.#namespace }) }
    try {
      const answer = await this.#connection.request('GET', path, {
        query: parameters,
        headers: this.#headers
      })
      return exactJson(await answer.text())
    } catch (error) {
      if (error instanceof RequestRefused && error.status === NOT_FOUND) return undefined
      throw error
    }
  }
}
