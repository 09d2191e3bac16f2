// A WebSocket connection of `annals.v1`, on which a client subscribes, unsubscribes and acknowledges.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import { CursorPositions } from '../../../actors/processes/cursor-positions.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { Cursor } from '../../../events/cursor.js'
import { newlineDelimited } from '../../../projections/stream/subscription.js'
import { ShutdownSignal } from '../../wire/shutdown-signal.js'
import { LOGGER } from '../../../server/settings/ports.js'
import { type RouteResponse, problem } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'
import { AuthFailures } from '../../wire/sockets/auth-failures.js'
import { SubscriptionRequests } from '../subscription-requests.js'
import { EventStreams } from '../event-streams.js'
import { parameterSourceOf } from '../subscription-parsing.js'
import type { StreamSession } from '../session.js'
import {
  MessageFault,
  parametersOf,
  readMessage,
  SUBPROTOCOL,
  type Acknowledge,
  type ClientMessage,
  type Subscribe
} from './client-message.js'
import type { SinkListener } from '../sink.js'
import { LineSink, SocketOutput, type SocketLineFormat } from './socket-output.js'

/** Maximum number of consecutive unanswered pings. A slow reader answers after it has read earlier output. */
const MOST_UNANSWERED = 4

/** Pings the client until the timer is cleared, and aborts the connection of a dead client. */
const pingEvery = (ms: number, socket: WebSocket, output: SocketOutput): NodeJS.Timeout => {
  let unanswered = 0
  socket.on('pong', () => (unanswered = 0))
  return setInterval(() => {
    // While output is pending, its own timeout detects a dead reader.
    if (output.isBusy) return
    if (unanswered++ >= MOST_UNANSWERED) output.destroy()
    else socket.ping()
  }, ms)
}

const MOST_FAULTS = 10
/** Close codes (RFC 6455 §7.4.1). */
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const EMPTY_LINE = '{}'

@scoped(Lifecycle.ContainerScoped)
export class SubscriberServices {
  constructor(
    readonly requests: SubscriptionRequests,
    readonly streams: EventStreams,
    readonly positions: CursorPositions,
    readonly authFailures: AuthFailures,
    readonly closing: ShutdownSignal,
    @inject(LOGGER) readonly logger: Logger
  ) {}
}

interface Subscribed {
  session: StreamSession | undefined
}

/** Handles messages one after another, and pauses reading while the output is full. */
export class Subscriber implements SinkListener {
  readonly #output: SocketOutput
  readonly #pings: NodeJS.Timeout
  readonly #subscribed = new Map<string, Subscribed>()
  /** Texts of unhandled messages; undefined for binary ones. */
  readonly #inbox: (string | undefined)[] = []
  readonly #onClosing = (): void => this.#onChange()
  #isFirst = true
  #isHandling = false
  #hasEnded = false
  #faults = 0
  #idle: NodeJS.Timeout | undefined

  /** @param request of the upgrade; its token applies until a message sends another one */
  constructor(
    private readonly services: SubscriberServices,
    private request: RequestContext,
    private readonly socket: WebSocket
  ) {
    const { heartbeat, write_timeout } = request.settings.stream
    this.#output = new SocketOutput(socket, write_timeout)
    this.#output.add(this)
    this.#pings = pingEvery(heartbeat, socket, this.#output)
    services.closing.signal.addEventListener('abort', this.#onClosing)
    socket.on('message', (data, isBinary) => {
      this.#inbox.push(isBinary || !Buffer.isBuffer(data) ? undefined : data.toString())
      void this.#handleInbox()
    })
    this.#onChange()
  }

  onIdle(): void {
    void this.#handleInbox()
  }

  /** Each stream sends its own last line. */
  onStuck(): void {}

  onClosed(): void {
    this.#hasEnded = true
    clearInterval(this.#pings)
    clearTimeout(this.#idle)
    this.services.closing.signal.removeEventListener('abort', this.#onClosing)
  }

  async #handleInbox(): Promise<void> {
    if (this.#isHandling) return
    this.#isHandling = true
    this.socket.pause()
    while (this.#inbox.length > 0 && !this.#output.isFull && !this.#hasEnded)
      await this.#handle(this.#inbox.shift())
    this.#isHandling = false
    if (!this.#output.isFull || this.#hasEnded) this.socket.resume()
  }

  async #handle(text: string | undefined): Promise<void> {
    // Each message has its own time and permissions.
    this.request = this.request.refreshed()
    let id: string | undefined
    let isFatal = false
    try {
      if (text === undefined) throw new MessageFault('messages must be text', undefined)
      const message = readMessage(text)
      id = idOf(message)
      isFatal = this.#isFirst && message.Token !== undefined
      await this.request.ready(true)
      await this.#do(message)
    } catch (error) {
      const isFault = error instanceof MessageFault
      if (isFault && ++this.#faults >= MOST_FAULTS) isFatal = true
      await this.#refuse(isFault ? error.id : id, error)
      if (isFatal) this.#end(isFault ? 'too many invalid messages' : 'token refused')
    }
    this.#isFirst = false
  }

  #do({ Token, Subscribe: subscribe, Unsubscribe: id, Ack: ack }: ClientMessage): void | Promise<void> {
    if (Token !== undefined) return this.#identify(Token)
    if (subscribe) return this.#subscribe(subscribe)
    if (ack) return this.#acknowledge(ack)
    if (id !== undefined) this.#find(id).session?.end('unsubscribed')
  }

  /** @throws Refusal */
  async #identify(secret: string): Promise<void> {
    if (!this.#isFirst) throw new MessageFault('Token must be the first message', undefined)
    this.request = this.request.refreshed(secret)
    await this.request.ready(true)
    this.request.requireToken()
  }

  /** @throws Refusal */
  async #subscribe(message: Subscribe): Promise<void> {
    const { ID } = message
    const request = this.request
    const most = request.settings.stream.max_subscriptions_per_connection
    if (this.#subscribed.has(ID))
      throw new Refusal(
        'stream.conflict',
        `Invalid ID: there is a subscription ${JSON.stringify(ID)} already`
      )
    if (this.#subscribed.size >= most)
      throw new Refusal(
        'stream.too-many',
        `Too many subscriptions on one connection: the limit is ${most} (stream.max_subscriptions_per_connection)`
      )
    const { requests, streams } = this.services
    const source = { ...parameterSourceOf(request), values: parametersOf(message), seen: undefined }
    const stream = await requests.ask(request, newlineDelimited, source)
    if (!('opening' in stream)) return this.#answer(requests.refuse(request, stream), ID)
    await durable(request)
    if (this.#hasEnded) return
    const { opening, authority, isCut } = stream
    if (isCut) this.#send({ ID, OldestIndex: opening.start })
    const { ClampedFrom } = opening.cursor ?? {}
    if (ClampedFrom !== undefined) this.#send({ ID, ClampedFrom })
    const subscribed: Subscribed = { session: undefined }
    this.#subscribed.set(ID, subscribed)
    this.#onChange()
    const format = this.#formatOf(ID)
    subscribed.session = streams.open(
      { ...opening, wire: SUBPROTOCOL },
      authority,
      listener => new LineSink(this.#output, format, listener)
    )
  }

  /** @throws Refusal */
  #acknowledge({ ID, Index }: Acknowledge): void {
    const { session } = this.#find(ID)
    const cursor = session?.opening.cursor
    if (!cursor)
      throw invalid('stream.invalid', `Invalid Ack: subscription ${JSON.stringify(ID)} has no cursor`)
    if (Index >= session.next)
      throw invalid(
        'stream.invalid',
        `Invalid Ack: Index ${Index} was not sent: the last that was is ${session.next - 1}`
      )
    // Moves are committed within a second; other messages do not wait for that.
    void this.#move(ID, cursor, Index)
  }

  async #move(id: string, { Name }: Cursor, index: number): Promise<void> {
    try {
      await this.services.positions.advance(Name, index)
    } catch (error) {
      await this.#refuse(id, error)
    }
  }

  /** @throws Refusal `missing` */
  #find(id: string): Subscribed {
    const subscribed = this.#subscribed.get(id)
    if (subscribed) return subscribed
    throw new Refusal('stream.not-found', `Invalid ID: there is no subscription ${JSON.stringify(id)}`)
  }

  #formatOf(id: string): SocketLineFormat {
    const bare = Buffer.from(JSON.stringify({ ID: id }))
    const beginning = Buffer.from(`${bare.toString().slice(0, -1)},`)
    return {
      wrap: line => (line.length === EMPTY_LINE.length ? bare : Buffer.concat([beginning, line.subarray(1)])),
      onEnd: () => {
        this.#subscribed.delete(id)
        this.#onChange()
      }
    }
  }

  async #refuse(id: string | undefined, error: unknown): Promise<void> {
    const { authFailures, logger } = this.services
    const request = this.request
    const judged = authFailures.judge(error, request.address)
    const failure: unknown = await durable(request).catch((reason: unknown) => reason)
    if (this.#hasEnded) return
    this.#answer(problem(failure ?? judged, logger), id)
  }

  #answer({ status, body }: RouteResponse, ID: string | undefined): void {
    this.#send({ ...(ID === undefined ? {} : { ID }), Error: { Code: status, Message: String(body) } })
  }

  #send(value: object): void {
    this.#output.send(Buffer.from(JSON.stringify(value)))
  }

  #end(reason: string): void {
    this.#hasEnded = true
    this.#output.close(POLICY_VIOLATION, reason)
  }

  /** Closes a connection without subscriptions after a timeout, and at shutdown. */
  #onChange(): void {
    clearTimeout(this.#idle)
    if (this.#subscribed.size > 0 || this.#hasEnded) return
    if (this.services.closing.signal.aborted) {
      this.#hasEnded = true
      return this.#output.close(GOING_AWAY, 'server shutting down')
    }
    const { request_timeout: idleMs } = this.request.settings.limits
    if (idleMs > 0) this.#idle = setTimeout(() => this.#end('no subscription in time'), idleMs)
  }
}

const idOf = ({ Subscribe: subscribe, Ack: ack, Unsubscribe: id }: ClientMessage): string | undefined =>
  subscribe?.ID ?? ack?.ID ?? id

/** Resolves when everything that a response can reflect is on disk. @throws Refusal when the log has failed */
const durable = (request: RequestContext): Promise<void> =>
  new Promise((resolve, reject) => request.whenDurable(failure => (failure ? reject(failure) : resolve())))
