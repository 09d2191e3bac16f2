import { LRUCache } from 'lru-cache'
import { Lifecycle, scoped } from 'tsyringe'
import { BytePieces } from '../../../projections/byte-pieces.js'
import type { Question } from '../../../projections/acl/usage/question.js'
import type { RequestContext } from '../request-context.js'
import type { Body } from '../response.js'

const MOST_BYTES = 64 * 2 ** 20
/** Estimated memory of an entry besides its body and key. */
const ENTRY_BYTES = 300
/** Shorter bodies are copied, since their pieces may be parts of longer buffers. */
const MOST_COPIED = 2 ** 20

/** A list of all rows of a collection, in one state. */
interface ListIdentity {
  /** The collection of the rows. */
  readonly rows: object
  /** Distinguishes the lists of a collection. */
  readonly form: string
  /** The index of the last change of the rows. */
  readonly index: number
  /** The generation of the read models with this index, which may have been reset since. */
  readonly generation: number
}

type ListRequest = Pick<RequestContext, 'query' | 'past' | 'authority'> & {
  readonly usage: Pick<RequestContext['usage'], 'rowQuestions' | 'credit'>
}

/** The rows that a caller may see, and all headers that follow from them. */
interface SerializedList {
  readonly body: Body
  /** True if rows were left out for want of permissions. */
  readonly isShortened: boolean
}

interface Entry extends SerializedList {
  /** The generation of the read models and the index of the rows. */
  readonly version: string
  /** By which rows were shown. */
  readonly questions: readonly Question[]
}

const compactOf = (body: Body): Buffer =>
  body instanceof BytePieces ? Buffer.concat(body.pieces) : Buffer.from(body.toString())

const versionOf = ({ generation, index }: ListIdentity): string => `${generation} ${index}`

/** Query parameters that select or sort rows. */
const SELECTING = ['near', 'filter', 'tag', 'node-meta', 'passing', 'limit', 'after']

/** Returns true if a request is for all current rows that the caller may see. */
const isForAll = ({ query, past }: ListRequest): boolean => {
  if (past) return false
  return query.isEmpty || !SELECTING.some(name => query.has(name))
}

/**
 * Serialized lists by the permissions of the callers. An entry holds as long as the index of its rows, which grows with every
 * change that a list shows. Memory: at most 64 MiB; the least recently used entries are evicted.
 */
@scoped(Lifecycle.ContainerScoped)
export class SerializedLists {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body }, key) => body.length + key.length + ENTRY_BYTES
  })
  readonly #numbers = new WeakMap<object, number>()
  #newest = 0

  /** Returns the list of a request for all rows, if it is known and current. */
  find(request: ListRequest, state: ListIdentity): SerializedList | undefined {
    if (!isForAll(request)) return undefined
    const known = this.#entries.get(this.#keyOf(request, state))
    if (known?.version !== versionOf(state)) return undefined
    request.usage.credit(known.questions)
    return known
  }

  /** Caches the list of a request for all rows. @param state of the rows when the list was begun */
  keep<List extends SerializedList>(request: ListRequest, state: ListIdentity, list: List): List {
    if (!isForAll(request)) return list
    const { body, isShortened } = list
    const kept = body instanceof BytePieces && body.length > MOST_COPIED ? body : compactOf(body)
    this.#entries.set(this.#keyOf(request, state), {
      version: versionOf(state),
      body: kept,
      isShortened,
      questions: request.usage.rowQuestions
    })
    return list
  }

  #keyOf({ authority }: ListRequest, { rows, form }: ListIdentity): string {
    return `${form} ${this.#numberOf(rows)} ${this.#numberOf(authority.authorizer)}`
  }

  #numberOf(object: object): number {
    let number = this.#numbers.get(object)
    if (number === undefined) this.#numbers.set(object, (number = ++this.#newest))
    return number
  }
}
