// Writes answers to the wire: the headers that every answer bears, and the twins of both header families.
import { parse, stringify } from 'lossless-json'
import { Pieces } from '../projections/pieces.js'
import { JSON_TYPE, type Answer, type Body } from './answer.js'
import { gzipped, wantsGzip } from './gzip.js'
import type { HeadedResponse } from './headed-response.js'
import { headerLine, headerLines } from './header-lines.js'
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

/** What a request says of the form of its answer. */
interface Wishes {
  readonly pretty: boolean
  header(name: string): string | undefined
}

/** Writes answers of one server. */
export class AnswerWriter {
  readonly #compat: boolean
  readonly #closing: AbortSignal
  /** On every answer of a known path. */
  readonly #always: readonly string[]
  /** On every answer that bears the index of a read: what a single server that leads says of it. */
  readonly #ofReads: readonly string[]
  readonly #alwaysLines: string
  readonly #ofReadsLines: string
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
    this.#alwaysLines = headerLines(this.#always)
    this.#ofReadsLines = headerLines(this.#ofReads)
  }

  /** Without wishes an answer goes out as it is. */
  write(response: HeadedResponse, answer: Answer, wishes?: Wishes): void {
    if (answer.stream) return this.#stream(response, answer, answer.stream)
    const body = answer.type === JSON_TYPE && wishes?.pretty ? prettyJson(answer.body) : answer.body
    const length = body instanceof Pieces ? body.length : Buffer.byteLength(body)
    const lines = this.#lines(answer)
    if (wantsGzip(wishes?.header('accept-encoding'), length))
      gzipped(body instanceof Pieces ? body.toBuffer() : body).then(
        packed => this.#send(response, answer, `${lines}Content-Encoding: gzip\r\n`, packed, packed.length),
        error => response.destroy(error)
      )
    else this.#send(response, answer, lines, body, length)
  }

  /** @param lines all headers but the length of the body */
  #send(response: HeadedResponse, { status }: Answer, lines: string, body: Body, length: number): void {
    const head = response.head(status, lines + headerLine('Content-Length', length), this.#closing.aborted)
    // Text of one byte a character is sent as it lies in memory.
    if (typeof body === 'string') response.send(head, body, body.length === length ? 'latin1' : 'utf8')
    else this.#scratch.send(response, head, body)
  }

  /** Begins an answer that is a stream, whose length and end nobody knows. */
  #stream(
    response: HeadedResponse,
    { status, type, headers, index }: Answer,
    run: (response: HeadedResponse) => void
  ): void {
    const head = [...(index === undefined ? this.#always : this.#ofReads), ...this.#twins(headers)]
    if (index !== undefined) head.push(...this.#twins(['X-Service-Index', String(index)]))
    if (type !== '') head.push('Content-Type', type)
    if (this.#closing.aborted) head.push('Connection', 'close')
    response.writeHead(status, head)
    run(response)
  }

  #lines({ index, headers, type }: Answer): string {
    let lines = this.#alwaysLines
    if (index !== undefined) {
      lines = this.#ofReadsLines + headerLine('X-Service-Index', String(index))
      if (this.#compat) lines += headerLine('X-Consul-Index', String(index))
    }
    if (headers.length > 0) lines += headerLines(this.#twins(headers))
    return type === '' ? lines : lines + headerLine('Content-Type', type)
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
