import type { ServerResponse } from 'node:http'
import { parse, stringify } from 'lossless-json'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { BytePieces } from '../../projections/byte-pieces.js'
import { JSON_PATCH_TYPE, JSON_TYPE, type RouteResponse, type Body } from './response.js'
import { ShutdownSignal } from './shutdown-signal.js'
import { SETTINGS } from '../../server/settings/ports.js'
import type { Settings } from '../../server/settings/settings.js'
import { contactHeaders, NO_PEER_CONTACT, type PeerContact } from './contact.js'
import { REQUEST_ROUTING, type RequestRouting } from './request-routing.js'
import { ConnectionQueue } from './sockets/connection-queue.js'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import Negotiator from 'negotiator'

export type Coding = 'gzip' | 'zstd'

const LEAST_BYTES = 1400

/** Node has zstd from 22.15 on. */
const CODINGS: readonly Coding[] = 'createZstdCompress' in zlib ? ['zstd', 'gzip'] : ['gzip']

export const codingFor = (acceptEncoding: string | undefined): Coding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const preferred = negotiator.encoding([...CODINGS, 'identity'])
  return CODINGS.find(coding => coding === preferred)
}

/** Returns how to compress a body of so many bytes; undefined to send it as it is. */
export const bodyCodingFor = (
  form: Pick<AnswerForm, 'header'> | undefined,
  bytes: number
): Coding | undefined => (bytes < LEAST_BYTES ? undefined : codingFor(form?.header('accept-encoding')))

const gzip = promisify(zlib.gzip)

const compressed = (body: string | Buffer, coding: Coding): Promise<Buffer> =>
  coding === 'gzip' ? gzip(body) : promisify(zlib.zstdCompress)(body)

const OURS = 'X-Service-'
const THEIRS = 'X-Consul-'

/** Caches the names of the other family, of which there are few; building them costs more than a lookup. */
const known = new Map<string, string | undefined>()
const twinOf = (name: string): string | undefined => {
  if (!known.has(name)) known.set(name, name.startsWith(OURS) ? THEIRS + name.slice(OURS.length) : undefined)
  return known.get(name)
}

interface AnswerForm {
  readonly pretty: boolean
  header(name: string): string | undefined
}

@scoped(Lifecycle.ContainerScoped)
export class ResponseWriter {
  readonly #compat: boolean
  readonly #always: readonly string[]
  /** The headers of every read of a server without peers. */
  readonly #ofReads: readonly string[]

  constructor(
    @inject(SETTINGS) { compat, acl }: Settings,
    private readonly closing: ShutdownSignal,
    private readonly queue: ConnectionQueue,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing: RequestRouting | undefined
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

  /** Writes a response; without a form neither compressed nor pretty-printed. */
  write(response: ServerResponse, answer: RouteResponse, form?: AnswerForm): void {
    const headers = this.#headers(answer)
    if (answer.stream) {
      response.writeHead(answer.status, headers)
      answer.stream(response)
      return
    }
    const printed = form?.pretty === true && isJson(answer) ? prettyJson(answer.body) : answer.body
    const body = printed instanceof BytePieces ? printed.toBuffer() : printed
    const bytes = Buffer.byteLength(body)
    const coding = bodyCodingFor(form, bytes)
    if (coding === undefined) this.#send(response, answer.status, headers, body, bytes)
    else
      compressed(body, coding).then(
        packed =>
          this.#send(
            response,
            answer.status,
            [...headers, 'Content-Encoding', coding],
            packed,
            packed.length
          ),
        error => response.destroy(error)
      )
  }

  writeBare(response: ServerResponse, { status, type, body }: RouteResponse): void {
    const text = body.toString()
    const headers = ['Content-Type', type]
    if (this.closing.signal.aborted) headers.unshift('Connection', 'close')
    this.#send(response, status, headers, text, Buffer.byteLength(text))
  }

  /** @param headers all except the length of the body */
  #send(
    response: ServerResponse,
    status: number,
    headers: string[],
    body: string | Buffer,
    bytes: number
  ): void {
    headers.push('Content-Length', String(bytes))
    response.writeHead(status, headers).end(body)
    this.queue.ended(response)
  }

  #headers({ index, headers: own, type }: RouteResponse): string[] {
    let common = this.#always
    if (index !== undefined) common = this.routing ? this.#readHeaders(this.routing.contact()) : this.#ofReads
    const headers = [...common]
    if (index !== undefined) {
      const text = String(index)
      headers.push('X-Service-Index', text)
      if (this.#compat) headers.push('X-Consul-Index', text)
    }
    if (own.length > 0) headers.push(...this.#twins(own))
    if (type !== '') headers.push('Content-Type', type)
    if (this.closing.signal.aborted) headers.push('Connection', 'close')
    return headers
  }

  #readHeaders(contact: PeerContact): readonly string[] {
    return [...this.#always, ...this.#twins(contactHeaders(contact))]
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

/** Prints like Consul: four blanks, and a newline at the end. 64-bit numbers stay exact. */
const prettyJson = (body: Body): string => `${stringify(parse(body.toString()), undefined, 4)}\n`
