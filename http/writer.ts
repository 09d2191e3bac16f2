// Writes answers to the wire: the headers that every answer bears, and the twins of both header families.
import type { ServerResponse } from 'node:http'
import { parse, stringify } from 'lossless-json'
import { Pieces } from '../projections/pieces.js'
import { JSON_TYPE, type Answer, type Body } from './answer.js'
import { gzipped, wantsGzip } from './gzip.js'
import { Scratch } from './scratch.js'
import type { Settings } from './settings.js'

const OURS = 'X-Service-'
const THEIRS = 'X-Consul-'

/** Twins by name: names are few and fixed, and a text made anew for each answer costs more than a look-up. */
const known = new Map<string, string | undefined>()
const twinOf = (name: string): string | undefined => {
  if (!known.has(name)) known.set(name, name.startsWith(OURS) ? THEIRS + name.slice(OURS.length) : undefined)
  return known.get(name)
}

/** Writes answers of one server. */
export class AnswerWriter {
  readonly #compat: boolean
  readonly #closing: AbortSignal
  /** On every answer of a known path. */
  readonly #always: readonly string[]
  /** On every answer that bears the index of a read: what a single server that leads says of it. */
  readonly #ofReads: readonly string[]
  readonly #scratch = new Scratch()

  /** @param closing aborts when the server ends: connections then end with the answer that they wait for */
  constructor({ compat, acl }: Settings, closing: AbortSignal) {
    this.#compat = compat
    this.#closing = closing
    this.#always = this.#twins([
      'Vary',
      'Accept-Encoding',
      'X-Service-Default-Acl-Policy',
      acl.default_policy
    ])
    this.#ofReads = [
      ...this.#always,
      ...this.#twins(['X-Service-KnownLeader', 'true', 'X-Service-LastContact', '0'])
    ]
  }

  /** `acceptEncoding` is the request's header: a large body goes compressed to those who offer gzip. */
  write(response: ServerResponse, answer: Answer, pretty: boolean, acceptEncoding?: string): void {
    const { status, type, stream } = answer
    const body = pretty && type === JSON_TYPE ? prettyJson(answer.body) : answer.body
    const head = this.#head(answer)
    if (type !== '') head.push('Content-Type', type)
    if (this.#closing.aborted) head.push('Connection', 'close')
    if (stream) {
      response.writeHead(status, head)
      stream(response)
      return
    }
    const length = body instanceof Pieces ? body.length : Buffer.byteLength(body)
    if (wantsGzip(acceptEncoding, length)) {
      const send = (packed: Buffer): void => {
        head.push('Content-Encoding', 'gzip', 'Content-Length', String(packed.length))
        response.writeHead(status, head).end(packed)
      }
      gzipped(body instanceof Pieces ? body.toBuffer() : body).then(send, error => response.destroy(error))
      return
    }
    head.push('Content-Length', String(length))
    response.writeHead(status, head)
    if (body instanceof Pieces) this.#scratch.end(response, body)
    // Text of one byte a character is sent as it lies in memory.
    else if (typeof body === 'string' && body.length === length) response.end(body, 'latin1')
    else response.end(body)
  }

  /** The headers of an answer, in an array of its own. */
  #head({ index, headers }: Answer): string[] {
    const head = index === undefined ? this.#always.slice() : this.#ofReads.slice()
    if (index !== undefined) {
      const text = String(index)
      head.push('X-Service-Index', text)
      if (this.#compat) head.push('X-Consul-Index', text)
    }
    if (headers.length > 0) head.push(...this.#twins(headers))
    return head
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

/** As the reference prints: four blanks, and a newline at the end. Numbers of 64 bits stay exact. */
const prettyJson = (body: Body): string => `${stringify(parse(body.toString()), undefined, 4)}\n`
