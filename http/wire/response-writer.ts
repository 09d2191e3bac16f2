// Writes answers to the wire: the headers that every answer bears, and the twins of both header families.
import type { ServerResponse } from 'node:http'
import { parse, stringify } from 'lossless-json'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { BytePieces } from '../../projections/byte-pieces.js'
import { JSON_PATCH_TYPE, JSON_TYPE, type RouteResponse, type Body } from './response.js'
import { bodyCodingFor, compressed } from './compression.js'
import { ShutdownSignal } from './shutdown-signal.js'
import { SETTINGS } from '../../server/settings/ports.js'
import type { Settings } from '../../server/settings/settings.js'
import { contactHeaders, NO_PEER_CONTACT, type PeerContact } from './contact.js'
import { REQUEST_ROUTING, type RequestRouting } from './request-routing.js'
import { OutputBackpressure } from './sockets/output-backpressure.js'

const OURS = 'X-Service-'
const THEIRS = 'X-Consul-'
const CONNECTION_CLOSE: readonly string[] = ['Connection', 'close']
const NO_HEADERS: readonly string[] = []

/** Twins by name: names are few and fixed, and a text made anew for each answer costs more than a look-up. */
const known = new Map<string, string | undefined>()
const twinOf = (name: string): string | undefined => {
  if (!known.has(name)) known.set(name, name.startsWith(OURS) ? THEIRS + name.slice(OURS.length) : undefined)
  return known.get(name)
}

/** What a request says of the form of its answer. */
interface AnswerForm {
  readonly pretty: boolean
  header(name: string): string | undefined
}

/** Writes answers of one server. */
@scoped(Lifecycle.ContainerScoped)
export class ResponseWriter {
  readonly #compat: boolean
  /** On every answer of a known path. */
  readonly #always: readonly string[]
  /** On every answer that bears the index of a read, of a server that decides by itself. */
  readonly #ofReads: readonly string[]

  constructor(
    @inject(SETTINGS) { compat, acl }: Settings,
    private readonly closing: ShutdownSignal,
    private readonly unsent: OutputBackpressure,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly whoAnswers: RequestRouting | undefined
  ) {
    this.#compat = compat
    this.#always = this.#twins([
      'Vary',
      'Accept-Encoding',
      'X-Service-Default-Acl-Policy',
      acl.default_policy
    ])
    this.#ofReads = this.#readHeaders(NO_PEER_CONTACT)
  }

  /** Without a form an answer goes out as it is. */
  write(response: ServerResponse, answer: RouteResponse, form?: AnswerForm): void {
    const headers = this.#headers(answer)
    if (answer.stream) {
      response.writeHead(answer.status, headers)
      answer.stream(response)
      return
    }
    const isJson = answer.type === JSON_TYPE || answer.type === JSON_PATCH_TYPE
    const made = isJson && form?.pretty ? prettyJson(answer.body) : answer.body
    const body = made instanceof BytePieces ? made.toBuffer() : made
    const coding = bodyCodingFor(form?.header('accept-encoding'), Buffer.byteLength(body))
    if (coding)
      compressed(body, coding).then(
        packed => this.#send(response, answer.status, [...headers, 'Content-Encoding', coding], packed),
        error => response.destroy(error)
      )
    else this.#send(response, answer.status, headers, body)
  }

  /** An answer of a path that is not known: without the headers that those of known paths bear. */
  writeBare(response: ServerResponse, { status, type, body }: RouteResponse): void {
    this.#send(response, status, [...this.#ends(), 'Content-Type', type], body.toString())
  }

  /** @param headers all of them but the length of the body */
  #send(response: ServerResponse, status: number, headers: string[], body: string | Buffer): void {
    headers.push('Content-Length', String(Buffer.byteLength(body)))
    response.writeHead(status, headers).end(body)
    this.unsent.note(response)
  }

  /** All headers but the length of the body: names and values in turn. */
  #headers({ index, headers: own, type }: RouteResponse): string[] {
    const headers = Array.from(index === undefined ? this.#always : this.#contactNow())
    if (index !== undefined) headers.push(...this.#twins(['X-Service-Index', String(index)]))
    if (own.length > 0) headers.push(...this.#twins(own))
    if (type !== '') headers.push('Content-Type', type)
    headers.push(...this.#ends())
    return headers
  }

  #contactNow(): readonly string[] {
    return this.whoAnswers ? this.#readHeaders(this.whoAnswers.contact()) : this.#ofReads
  }

  #readHeaders(contact: PeerContact): readonly string[] {
    return [...this.#always, ...this.#twins(contactHeaders(contact))]
  }

  /** When the server ends, connections end with the answer that they wait for. */
  #ends(): readonly string[] {
    return this.closing.signal.aborted ? CONNECTION_CLOSE : NO_HEADERS
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
