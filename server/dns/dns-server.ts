// The UDP and TCP sockets of DNS, with length-prefixed messages over TCP (RFC 1035 §4.2, RFC 7766).
import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { familyOf } from '../../projections/ip-address.js'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { LOGGER, SETTINGS } from '../settings/ports.js'
import type { Settings } from '../settings/settings.js'
import { ListenError, listen, type Sharing } from '../../http/wire/sockets/listen.js'
import { DnsQueryHandler } from './query-handler.js'
import { Metrics } from '../telemetry/metrics/metrics.js'
import { RCODES } from './message-writer.js'
import { framed, LENGTH_BYTES, messageEnd } from './recursors.js'

/** Seconds. More than 0.01 means a wait for the log or another server. */
const BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.1, 1]
const RCODE_BYTE = 3
/** The RCODE in the header, which are the lower four bits of an extended RCODE. */
const RCODE_BITS = 0x0f

const names = new Map(Object.entries(RCODES).map(([name, code]) => [code, name]))

@scoped(Lifecycle.ContainerScoped)
class DnsMeter {
  readonly #count: (rcode: string) => void
  readonly #seconds: ReturnType<Metrics['distribution']>

  constructor(metrics: Metrics) {
    this.#count = metrics.counter(
      'annals_dns_answers_total',
      'DNS questions that were answered, by the code of the answer',
      'rcode'
    )
    this.#seconds = metrics.distribution(
      'annals_dns_answer_seconds',
      'Time from the arrival of a DNS question to its answer, in seconds',
      { buckets: BUCKETS }
    )
  }

  /** @param began in the time of `performance.now` */
  observe(answer: Buffer | undefined, began: number): void {
    if (!answer) return
    const code = (answer[RCODE_BYTE] ?? 0) & RCODE_BITS
    this.#count(names.get(code) ?? String(code))
    this.#seconds.add((performance.now() - began) / 1000)
  }
}

const IDLE_MS = 10_000
const MAX_CONNECTIONS = 1024
/** Attempts to find a port that is free for both UDP and TCP. */
const TRIES = 10

@scoped(Lifecycle.ContainerScoped)
export class DnsServer {
  readonly #open = new Set<Socket>()
  #udp: DatagramSocket | undefined
  #tcp: Server | undefined

  constructor(
    @inject(SETTINGS) private readonly settings: Settings,
    @inject(LOGGER) private readonly logger: Logger,
    private readonly answering: DnsQueryHandler,
    private readonly meter: DnsMeter
  ) {}

  /** Listens on both transports. @returns the port @throws ListenError */
  async listen(sharing: Sharing = 'alone'): Promise<number> {
    const { addresses, ports } = this.settings
    for (let left = TRIES; ; left--) {
      const port = await this.#listenTcp(addresses.dns, ports.dns, sharing)
      try {
        if (sharing === 'first') await assertFree(addresses.dns, port)
        await this.#listenUdp(addresses.dns, port, sharing !== 'alone')
        return port
      } catch (error) {
        await this.#closeTcp()
        if (ports.dns === 0 && left > 1) continue
        const place = { what: 'DNS over UDP', address: addresses.dns, port, settings: SETTINGS_OF_PORT }
        throw new ListenError(place, error)
      }
    }
  }

  /** Closes all sockets without waiting for pending answers. */
  async close(): Promise<void> {
    const udp = this.#udp
    this.#udp = undefined
    if (udp) await new Promise<void>(resolve => udp.close(resolve))
    await this.#closeTcp()
  }

  async #listenUdp(host: string, port: number, reusePort: boolean): Promise<void> {
    const socket = await boundSocket(host, port, reusePort)
    this.#udp = socket
    socket.on('error', error => this.logger.warn({ err: error }, 'the DNS socket failed'))
    socket.on('message', (message, peer) => {
      const began = performance.now()
      const send = (answer: Buffer | undefined): void => {
        this.meter.observe(answer, began)
        if (answer && this.#udp) socket.send(answer, peer.port, peer.address, () => {})
      }
      const answer = this.answering.answer(message, 'udp', peer.address)
      if (answer instanceof Promise) void answer.then(send)
      else send(answer)
    })
  }

  async #listenTcp(address: string, port: number, sharing: Sharing): Promise<number> {
    const server = createServer(socket => void this.#converse(socket))
    server.maxConnections = MAX_CONNECTIONS
    const place = { what: 'DNS over TCP', address, port, settings: SETTINGS_OF_PORT }
    const listening = await listen(server, place, sharing)
    this.#tcp = server
    server.on('error', error => this.logger.warn({ err: error }, 'the DNS listener failed'))
    return listening
  }

  async #closeTcp(): Promise<void> {
    const tcp = this.#tcp
    this.#tcp = undefined
    for (const socket of this.#open) socket.destroy()
    if (tcp) await new Promise<void>(resolve => tcp.close(() => resolve()))
  }

  /** Answers the questions of a connection one by one. */
  async #converse(socket: Socket): Promise<void> {
    this.#open.add(socket)
    socket.setTimeout(IDLE_MS, () => socket.destroy())
    socket.on('close', () => this.#open.delete(socket))
    let received = Buffer.alloc(0)
    try {
      for await (const chunk of socket) {
        received = received.length === 0 ? Buffer.from(chunk) : Buffer.concat([received, chunk])
        for (let end = messageEnd(received); end <= received.length; end = messageEnd(received)) {
          const message = received.subarray(LENGTH_BYTES, end)
          received = received.subarray(end)
          const began = performance.now()
          const answer = await this.answering.answer(message, 'tcp', socket.remoteAddress ?? '')
          this.meter.observe(answer, began)
          if (answer && !socket.write(framed(answer))) await once(socket, 'drain')
        }
      }
    } catch {
      // The client has disconnected, or the connection was idle.
    } finally {
      socket.destroy()
    }
  }
}

const SETTINGS_OF_PORT = ['addresses.dns', 'ports.dns']

const boundSocket = async (host: string, port: number, reusePort: boolean): Promise<DatagramSocket> => {
  const socket = createSocket({ type: familyOf(host) === 'AAAA' ? 'udp6' : 'udp4', reusePort })
  const bound = once(socket, 'listening')
  socket.bind(port, host)
  try {
    await bound
  } catch (error) {
    socket.close()
    throw error
  }
  return socket
}

/** A shared port is checked, because the system does not report other listeners. */
const assertFree = async (host: string, port: number): Promise<void> => {
  const probe = await boundSocket(host, port, false)
  await new Promise<void>(resolve => probe.close(resolve))
}

/** Registered only if DNS is on. */
export const DNS_SERVER: InjectionToken<DnsServer> = Symbol('DnsServer')
