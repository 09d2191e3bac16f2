import type { ServerResponse } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { BytePieces } from '../../projections/byte-pieces.js'
import { JSON_PATCH_TYPE, JSON_TYPE, type RouteResponse, type Body } from './response.js'
import { Chunks } from './cooperative-chunks.js'
import { indentedJson } from './indented-json.js'
import { ShutdownSignal } from './shutdown-signal.js'
import { SETTINGS } from '../../server/settings/ports.js'
import type { Settings } from '../../server/settings/settings.js'
import { contactHeaders, NO_PEER_CONTACT, type PeerContact } from './contact.js'
import type { Query } from './query.js'
import { REQUEST_ROUTING, type RequestRouting } from './request-routing.js'
import { ConnectionQueue } from './sockets/connection-queue.js'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import Negotiator from 'negotiator'

export type Coding = 'gzip' | 'zstd'

const LEAST_BYTES = 1400
/** Size of the pieces of a compressed body. */
const PACKED = { chunkSize: 64 * 1024 }

/** Node has zstd from 22.15 on. */
const CODINGS: readonly Coding[] = 'createZstdCompress' in zlib ? ['zstd', 'gzip'] : ['gzip']

export const codingFor = (acceptEncoding: string | undefined): Coding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const preferred = negotiator.encoding([...CODINGS, 'identity'])
  return CODINGS.find(coding => coding === preferred)
}

const gzip = promisify(zlib.gzip)

/** Longer bodies are written and compressed in pieces, since joining them takes long. */
const MOST_JOINED = 2 ** 20

/** The bytes of a body that are written in one turn, since a fast reader lets them all be copied at once. */
const MOST_WRITTEN = 2 ** 20
/** Shorter pieces are joined, since each write takes some microseconds. */
const LEAST_WRITTEN = 2 ** 16

function* joinShort(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let short: Uint8Array[] = []
  let bytes = 0
  for (const piece of pieces) {
    if (bytes > 0 && bytes + piece.length > LEAST_WRITTEN) {
      yield Buffer.concat(short, bytes)
      short = []
      bytes = 0
    }
    if (piece.length >= LEAST_WRITTEN) yield piece
    else {
      short.push(piece)
      bytes += piece.length
    }
  }
  if (bytes > 0) yield Buffer.concat(short, bytes)
}

function* piecesOf(body: string | Buffer | BytePieces): Iterable<Uint8Array> {
  const pieces =
    body instanceof BytePieces ? body.pieces : [typeof body === 'string' ? Buffer.from(body) : body]
  for (const piece of joinShort(pieces))
    for (let at = 0; at < piece.length; at += MOST_WRITTEN) yield piece.subarray(at, at + MOST_WRITTEN)
}

const compressed = async (
  body: string | Buffer | BytePieces,
  coding: Coding
): Promise<Buffer | BytePieces> => {
  if (!(body instanceof BytePieces))
    return coding === 'gzip' ? gzip(body) : promisify(zlib.zstdCompress)(body)
  const packed: Buffer[] = []
  const compressor = coding === 'gzip' ? zlib.createGzip(PACKED) : zlib.createZstdCompress(PACKED)
  await pipeline(piecesOf(body), compressor, async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) packed.push(piece)
  })
  return new BytePieces(packed)
}

/** Writes a long body, as fast as it is read, and ends the response. @param ended called then, unless the client disconnects first */
const writeInTurns = (response: ServerResponse, pieces: Iterable<Uint8Array>, ended: () => void): void => {
  const rest = pieces[Symbol.iterator]()
  const write = (): void => {
    if (response.destroyed) return
    for (let bytes = 0; bytes < MOST_WRITTEN;) {
      const { value, done } = rest.next()
      if (done) {
        response.end()
        return ended()
      }
      bytes += value.length
      if (bytes < MOST_WRITTEN) response.write(value)
      else response.write(value, () => setImmediate(write))
    }
  }
  write()
}

const OURS = 'X-Service-'
const THEIRS = 'X-Consul-'

/** Caches the names of the other family, of which there are few; building them costs more than a lookup. */
const known = new Map<string, string | undefined>()
const twinOf = (name: string): string | undefined => {
  if (!known.has(name)) known.set(name, name.startsWith(OURS) ? THEIRS + name.slice(OURS.length) : undefined)
  return known.get(name)
}

/** The places of values among the common headers. */
const [LENGTH, INDEX, TWIN_INDEX] = [1, 3, 5]

interface AnswerForm {
  readonly query: Query
  header(name: string): string | undefined
}

@scoped(Lifecycle.ContainerScoped)
export class ResponseWriter {
  readonly #compat: boolean
  readonly #always: readonly string[]
  /** The headers of every answer, and of every read at the last contact, by content type, of which there are few. */
  readonly #answers = new Map<string, readonly string[]>()
  readonly #reads = new Map<string, readonly string[]>()
  #contact: PeerContact = NO_PEER_CONTACT

  constructor(
    @inject(SETTINGS) { compat, acl }: Settings,
    private readonly closing: ShutdownSignal,
    private readonly queue: ConnectionQueue,
    private readonly chunks: Chunks,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing: RequestRouting | undefined
  ) {
    this.#compat = compat
    this.#always = this.#twins([
      'Vary',
      'Accept-Encoding',
      'X-Service-Default-Acl-Policy',
      acl.default_policy
    ])
  }

  /** Writes a response; without a form neither compressed nor pretty-printed. */
  write(response: ServerResponse, answer: RouteResponse, form?: AnswerForm): void {
    const headers = this.#headers(answer)
    if (answer.stream) {
      // A stream has no length, which is the first header.
      response.writeHead(answer.status, headers.slice(2))
      answer.stream(response)
      return
    }
    if (form && !form.query.isEmpty && form.query.has('pretty') && isJson(answer))
      this.#writeIndented(response, answer, headers, form)
    else this.#writeBody(response, answer.status, headers, answer.body, form)
  }

  #writeIndented(
    response: ServerResponse,
    { status, body }: RouteResponse,
    headers: string[],
    form: AnswerForm
  ): void {
    const indented = this.chunks.run(indentedJson(body), () => {
      if (response.destroyed) throw new Error('the client has disconnected')
    })
    if (indented instanceof Promise)
      this.queue.whileCompressing(body.length, indented).then(
        whole => this.#writeBody(response, status, headers, whole, form),
        error => response.destroy(error)
      )
    else this.#writeBody(response, status, headers, indented, form)
  }

  #writeBody(
    response: ServerResponse,
    status: number,
    headers: string[],
    printed: Body,
    form: AnswerForm | undefined
  ): void {
    const body = printed instanceof BytePieces && printed.length <= MOST_JOINED ? printed.toBuffer() : printed
    const bytes = body instanceof BytePieces ? body.length : Buffer.byteLength(body)
    const coding = form && bytes >= LEAST_BYTES ? codingFor(form.header('accept-encoding')) : undefined
    if (coding === undefined) this.#send(response, status, headers, body, bytes)
    else
      this.queue.whileCompressing(bytes, compressed(body, coding)).then(
        packed =>
          this.#send(response, status, [...headers, 'Content-Encoding', coding], packed, packed.length),
        error => response.destroy(error)
      )
  }

  writeBare(response: ServerResponse, { status, type, body, headers: own }: RouteResponse): void {
    const text = body.toString()
    const headers = ['Content-Length', '', 'Content-Type', type, ...own]
    if (this.closing.signal.aborted) headers.push('Connection', 'close')
    this.#send(response, status, headers, text, Buffer.byteLength(text))
  }

  /** @param headers the first is the length of the body, which is set here */
  #send(
    response: ServerResponse,
    status: number,
    headers: string[],
    body: string | Buffer | BytePieces,
    bytes: number
  ): void {
    headers[LENGTH] = String(bytes)
    response.writeHead(status, headers)
    if (bytes > MOST_WRITTEN) {
      this.queue.begun(response, bytes)
      writeInTurns(response, piecesOf(body), () => this.queue.ended(response, true))
      return
    }
    if (body instanceof BytePieces) {
      for (const piece of body.pieces) response.write(piece)
      response.end()
    } else response.end(body)
    this.queue.ended(response)
  }

  #headers({ index, headers: own, type, backend }: RouteResponse): string[] {
    const isRead = index !== undefined
    const byType = isRead ? this.#reads : this.#answers
    if (isRead && this.routing) this.#useContact(this.routing.contact())
    const form = backend === undefined ? type : `${type} ${backend}`
    let common = byType.get(form)
    if (!common) byType.set(form, (common = this.#commonHeaders(type, isRead, backend)))
    const headers = common.concat(this.#twins(own))
    if (isRead) {
      headers[INDEX] = String(index)
      if (this.#compat) headers[TWIN_INDEX] = headers[INDEX]
    }
    if (this.closing.signal.aborted) headers.push('Connection', 'close')
    return headers
  }

  /** On a follower the last contact differs from one millisecond to the next. */
  #useContact(contact: PeerContact): void {
    const { isLeaderKnown, lastContact } = this.#contact
    if (contact.isLeaderKnown === isLeaderKnown && contact.lastContact === lastContact) return
    this.#contact = contact
    this.#reads.clear()
  }

  /** Returns the headers of answers of a content type, with places for the length of the body and the index of a read. */
  #commonHeaders(type: string, isRead: boolean, backend = 'blocking-query'): readonly string[] {
    const ofReads = isRead
      ? ['X-Service-Index', '', ...contactHeaders(this.#contact), 'X-Service-Query-Backend', backend]
      : []
    const typed = type === '' ? [] : ['Content-Type', type]
    return ['Content-Length', '', ...this.#twins(ofReads), ...this.#always, ...typed]
  }

  #twins(headers: readonly string[]): readonly string[] {
    if (!this.#compat) return headers
    const twins: string[] = []
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] ?? ''
      const value = headers[i + 1] ?? ''
      twins.push(name, value)
      const twin = twinOf(name)
      if (twin !== undefined) twins.push(twin, value)
    }
    return twins
  }
}

const isJson = ({ type }: RouteResponse): boolean => type === JSON_TYPE || type === JSON_PATCH_TYPE
