// Forwards questions about other domains to DNS servers (spec: queries.md §8.9).
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import dnsPacket from 'dns-packet'
import type { Timers } from '../../actors/clock.js'
import { familyOf } from '../../projections/ip-address.js'
import type { Transport } from './encode-reply.js'
import { decode } from './message-reader.js'
import type { DnsRecord } from './records.js'

const PORT = 53
const HEADER = 12
const RCODE = 0x0f
const NOERROR = 0
const NXDOMAIN = 3
const RESPONSE = 0x80
const MAX_IDS = 65_536

interface Recursor {
  readonly host: string
  readonly port: number
}

/** Parses `ADDRESS`, `ADDRESS:PORT` and `[ADDRESS]:PORT`. */
const parseRecursor = (text: string): Recursor => {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(text)
  if (bracketed) return { host: bracketed[1] ?? '', port: Number(bracketed[2] ?? PORT) }
  if (familyOf(text) === 'AAAA') return { host: text, port: PORT }
  const at = text.lastIndexOf(':')
  return at < 0 ? { host: text, port: PORT } : { host: text.slice(0, at), port: Number(text.slice(at + 1)) }
}

const isAnswerTo = (answer: Buffer, question: Buffer): boolean =>
  answer.length >= HEADER &&
  answer.readUInt16BE(0) === question.readUInt16BE(0) &&
  ((answer[2] ?? 0) & RESPONSE) !== 0

/** Bytes before each message over TCP (RFC 1035 §4.2.2). */
export const LENGTH_BYTES = 2

/** Returns the end of the first message; Infinity while its length is incomplete. */
export const messageEnd = (bytes: Buffer): number =>
  bytes.length < LENGTH_BYTES ? Infinity : LENGTH_BYTES + bytes.readUInt16BE(0)

export const framed = (message: Buffer): Buffer => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Sends a message and waits for its answer. Other messages are ignored. */
const overUdp = ({ host, port }: Recursor, message: Buffer, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(familyOf(host) === 'AAAA' ? 'udp6' : 'udp4')
    const end = (): void => {
      signal.removeEventListener('abort', fail)
      socket.close()
    }
    const fail = (): void => {
      end()
      reject(new Error(`no answer from ${host}`))
    }
    signal.addEventListener('abort', fail)
    socket.on('error', fail)
    socket.on('message', answer => {
      if (!isAnswerTo(answer, message)) return
      end()
      resolve(answer)
    })
    // A connected socket receives only from this server.
    socket.connect(port, host, () => socket.send(message))
  })

const overTcp = ({ host, port }: Recursor, message: Buffer, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    let received = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`no answer from ${host}`)))
    socket.on('connect', () => {
      socket.write(framed(message))
    })
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk])
      const end = messageEnd(received)
      if (received.length < end) return
      socket.destroy()
      const answer = received.subarray(LENGTH_BYTES, end)
      if (isAnswerTo(answer, message)) resolve(answer)
      else reject(new Error(`another answer from ${host}`))
    })
  })

export class Recursors {
  readonly #servers: readonly Recursor[]

  /** @param timeout per server, in milliseconds */
  constructor(
    servers: readonly string[],
    private readonly timeout: number,
    private readonly timers: Pick<Timers, 'abortAfter'>
  ) {
    this.#servers = servers.map(parseRecursor)
  }

  get isConfigured(): boolean {
    return this.#servers.length > 0
  }

  /** Returns the first NOERROR or NXDOMAIN answer, with the ID of the message; undefined if there is none. */
  async forward(message: Buffer, transport: Transport): Promise<Buffer | undefined> {
    const sent = Buffer.from(message)
    for (const server of this.#servers) {
      sent.writeUInt16BE(randomInt(MAX_IDS), 0)
      const signal = this.timers.abortAfter(this.timeout)
      const send = transport === 'tcp' ? overTcp : overUdp
      const answer = await send(server, sent, signal).catch(() => undefined)
      const rcode = answer ? (answer[3] ?? 0) & RCODE : undefined
      if (!answer || (rcode !== NOERROR && rcode !== NXDOMAIN)) continue
      const restored = Buffer.from(answer)
      restored.writeUInt16BE(message.readUInt16BE(0), 0)
      return restored
    }
    return undefined
  }

  async addressesOf(name: string): Promise<DnsRecord[]> {
    if (!this.isConfigured) return []
    const flags = dnsPacket.RECURSION_DESIRED
    const message = dnsPacket.encode({ type: 'query', flags, questions: [{ type: 'A', name }] })
    const answer = await this.forward(message, 'udp')
    const { answers = [] } = (answer && decode(answer)) ?? {}
    return answers.flatMap((record): DnsRecord[] => {
      if (record.type !== 'A' && record.type !== 'AAAA' && record.type !== 'CNAME') return []
      return [{ type: record.type, name: record.name, ttl: record.ttl ?? 0, data: record.data }]
    })
  }
}
