// The sockets of DNS: UDP, and TCP with length-prefixed messages (RFC 1035 §4.2, RFC 7766).
import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { familyOf } from '../../projections/ip-address.js'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER, SETTINGS } from '../settings/ports.js'
import type { Settings } from '../settings/settings.js'
import { ListenError, listen, type Sharing } from '../../http/wire/sockets/listen.js'
import { DnsQueryHandler } from './query-handler.js'
import { Metrics } from '../telemetry/metrics/metrics.js'
import { RCODES } from './message-writer.js'

/** Seconds. More than a hundredth means that the log or another server was waited for. */
const BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.1, 1]
const RCODE_BYTE = 3
/** The RCODE in the header; of an extended RCODE these are the lower four bits. */
const RCODE_BITS = 0x0f

const names = new Map(Object.entries(RCODES).map(([name, code]) => [code, name]))

@scoped(Lifecycle.ContainerScoped)
class DnsMeter {
  readonly #count: (rcode: string) => void
  readonly #seconds: (seconds: number) => void

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

  /** @param began a time of `performance.now` */
  observe(answer: Buffer | undefined, began: number): void {
    if (!answer) return
    const code = (answer[RCODE_BYTE] ?? 0) & RCODE_BITS
    this.#count(names.get(code) ?? String(code))
    this.#seconds((performance.now() - began) / 1000)
  }
}

/** Idle connections are closed after this time. */
const IDLE_MS = 10_000
const MOST_CONNECTIONS = 1024
const LENGTH = 2
/** How many ports are tried when the free port that the system chose for TCP is in use for UDP. */
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

  /** Listens on both transports. @returns their port @throws ListenError */
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
        if (ports.dns !== 0 || left <= 1) throw listenError('DNS over UDP', addresses.dns, port, error)
      }
    }
  }

  /** Closes all sockets; questions that are being answered are not waited for. */
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
    server.maxConnections = MOST_CONNECTIONS
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

  /** Answers the questions of a connection, one after the other. */
  async #converse(socket: Socket): Promise<void> {
    this.#open.add(socket)
    socket.setTimeout(IDLE_MS, () => socket.destroy())
    socket.on('close', () => this.#open.delete(socket))
    let received = Buffer.alloc(0)
    try {
      for await (const chunk of socket) {
        received = received.length === 0 ? Buffer.from(chunk) : Buffer.concat([received, chunk])
        for (let end = messageEnd(received); end <= received.length; end = messageEnd(received)) {
          const message = received.subarray(LENGTH, end)
          received = received.subarray(end)
          const began = performance.now()
          const answer = await this.answering.answer(message, 'tcp', socket.remoteAddress ?? '')
          this.meter.observe(answer, began)
          if (answer && !socket.write(framed(answer))) await once(socket, 'drain')
        }
      }
    } catch {
      // The client has left, or the connection was idle and was closed.
    } finally {
      socket.destroy()
    }
  }
}

const SETTINGS_OF_PORT = ['addresses.dns', 'ports.dns']

const listenError = (what: string, address: string, port: number, cause: unknown): ListenError =>
  new ListenError({ what, address, port, settings: SETTINGS_OF_PORT }, cause)

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

/** Where a port is shared, the system asks nobody who else listens there. */
const assertFree = async (host: string, port: number): Promise<void> => {
  const probe = await boundSocket(host, port, false)
  await new Promise<void>(resolve => probe.close(resolve))
}

/** Where the first message in the bytes ends; Infinity while its length has not arrived. */
const messageEnd = (bytes: Buffer): number =>
  bytes.length < LENGTH ? Infinity : LENGTH + bytes.readUInt16BE(0)

const framed = (message: Buffer): Buffer => {
  const length = Buffer.alloc(LENGTH)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
