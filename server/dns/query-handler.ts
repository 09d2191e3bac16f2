// Answers DNS messages from the zone, by reverse lookup, or from other servers.
import { canonicalAddress } from '../../projections/ip-address.js'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock, Timers } from '../../actors/clock.js'
import { Refusal } from '../../actors/refusal.js'
import { Committer } from '../../actors/committer.js'
import { Views } from '../../projections/read-models.js'
import { AccessUsage } from '../../http/wire/access-usage.js'
import { AgentTokens } from '../settings/agent-tokens.js'
import { LOGGER } from '../settings/ports.js'
import { Reload } from '../settings/reload.js'
import { LiveSettings } from '../settings/settings.js'
import { REQUEST_ROUTING, type RequestRouting } from '../../http/wire/request-routing.js'
import {
  REMOTE_TOKEN_RESOLUTION,
  type RemoteTokenResolution
} from '../../http/wire/remote-token-resolution.js'
import { encodeReply, type FitSettings, type Transport } from './encode-reply.js'
import type { Follow } from './instance-records.js'
import { readQuestion, type BadQuestion, type DnsQuestion } from './message-reader.js'
import { encodeMessage } from './message-writer.js'
import { reply, type DnsRecord, type Reply } from './records.js'
import { Recursors } from './recursors.js'
import { isReverse, reverseRecord } from './reverse.js'
import { Zone } from './zone.js'
import type { ZoneReply } from './zone-replies.js'

/** Limits on following aliases: the length of a chain, and added records for clients without EDNS. */
const MAX_STEPS = 3
const MAX_FOLLOWED = 5
const NOTHING = new Uint8Array()
const NO_ANSWER = reply('SERVFAIL', { authoritative: false, recursion: true })
const MAX_PLAIN_BYTES = 512
const TC = 0x02
const COUNTS = 6
const HEADER = 12

const domainOf = (domain: string): string => domain.toLowerCase().replace(/\.$/, '')

type Pending = Buffer | Promise<Buffer>

/** An answer that reflects a change waits until the change is durable. */
@scoped(Lifecycle.ContainerScoped)
export class DnsQueryHandler {
  #recursors: Recursors
  readonly #domains: readonly string[]
  readonly #datacenter: string
  readonly #fit: FitSettings

  constructor(
    { current }: LiveSettings,
    reload: Reload,
    private readonly zone: Zone,
    private readonly views: Views,
    private readonly committer: Committer,
    private readonly clock: Clock,
    timers: Timers,
    private readonly agentTokens: AgentTokens,
    private readonly usage: AccessUsage,
    @inject(LOGGER) private readonly logger: Logger,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing: RequestRouting | undefined,
    @inject(REMOTE_TOKEN_RESOLUTION, { isOptional: true })
    private readonly tokensElsewhere: RemoteTokenResolution | undefined
  ) {
    const { domain, alt_domain, datacenter, dns_config, recursors } = current
    this.#datacenter = datacenter
    this.#recursors = new Recursors(recursors, dns_config.recursor_timeout, timers)
    reload.register(next => {
      const made = new Recursors(next.recursors, next.dns_config.recursor_timeout, timers)
      return () => (this.#recursors = made)
    })
    this.#domains = [domain, ...(alt_domain === undefined ? [] : [alt_domain])].map(domainOf)
    this.#fit = {
      udpAnswerLimit: dns_config.udp_answer_limit,
      enableTruncate: dns_config.enable_truncate,
      disableCompression: dns_config.disable_compression
    }
  }

  /** Returns undefined for a message without an answer. Never rejects. */
  answer(bytes: Buffer, transport: Transport, peer: string): Pending | undefined {
    const question = readQuestion(bytes)
    if (question?.kind !== 'question') return question && this.#refuse(question)
    try {
      const committer = this.committer
      const newEnough = this.routing?.forDns()
      const known = this.tokensElsewhere?.learn(this.agentTokens.fallback)
      if (newEnough || known || !committer.isReadable) {
        const ready = Promise.all([newEnough, known, committer.readable()])
        return this.#settled(
          question,
          transport,
          ready.then(() => this.#answer(question, bytes, transport, peer))
        )
      }
      const answer = this.#answer(question, bytes, transport, peer)
      if (answer instanceof Promise || !committer.isDurable())
        return this.#settled(question, transport, Promise.resolve(answer))
      return answer
    } catch (error) {
      return this.#failed(question, transport, error)
    }
  }

  async #settled(question: DnsQuestion, transport: Transport, answer: Promise<Buffer>): Promise<Buffer> {
    try {
      const sent = await answer
      await this.committer.durable()
      return sent
    } catch (error) {
      return this.#failed(question, transport, error)
    }
  }

  #failed(question: DnsQuestion, transport: Transport, error: unknown): Buffer {
    // The change of role was already logged, so unavailability is not logged again.
    const level = error instanceof Refusal ? 'debug' : 'error'
    this.logger[level]({ err: error, name: question.name, type: question.type }, 'a DNS question failed')
    return this.#encode(question, transport, reply('SERVFAIL', { authoritative: false }))
  }

  /** Encodes an answer without records. */
  #refuse({ id, opcode, recursionDesired, rcode }: BadQuestion): Buffer {
    const flags = { opcode, recursionDesired, truncated: false, recursionAvailable: false }
    const message = {
      ...reply(rcode, { authoritative: false }),
      ...flags,
      id,
      question: NOTHING,
      edns: undefined
    }
    return encodeMessage(message, '', false)
  }

  #encode(question: DnsQuestion, transport: Transport, of: Reply): Buffer {
    return encodeReply(question, of, transport, this.#recursors.isConfigured, this.#fit)
  }

  #domainOf(name: string): string | undefined {
    const lower = name.toLowerCase()
    return this.#domains.find(domain => lower === domain || lower.endsWith(`.${domain}`))
  }

  #answer(question: DnsQuestion, bytes: Buffer, transport: Transport, peer: string): Pending {
    const { name, type, edns } = question
    const encode = (of: Reply): Buffer => this.#encode(question, transport, of)
    // Only version 0 of EDNS exists (RFC 6891 §6.1.3).
    if (edns !== undefined && edns.version > 0) return encode(reply('BADVERS', { authoritative: false }))
    if (isReverse(name)) return this.#reverse(question, bytes, transport)
    const domain = this.#domainOf(name)
    if (domain === undefined)
      return this.#recursors.isConfigured
        ? this.#forward(question, bytes, transport)
        : encode(reply('REFUSED', { authoritative: false }))
    const address = canonicalAddress(edns?.subnet?.address ?? peer) ?? ''
    const found = this.zone.answer({ name, type, domain, address })
    const isEdns = edns !== undefined
    if (found instanceof Promise)
      return found.then(one => this.#followed(one, name, address, isEdns)).then(encode)
    return found.follow.length === 0
      ? encode(found.reply)
      : this.#followed(found, name, address, isEdns).then(encode)
  }

  #reverse(question: DnsQuestion, bytes: Buffer, transport: Transport): Pending {
    const authority = this.views.resolver.resolve(this.agentTokens.fallback, this.clock.now())
    const place = `${this.#datacenter}.${this.#domains[0] ?? ''}`
    const record =
      authority && reverseRecord(this.views.addresses, question.name, this.usage.credited(authority), place)
    if (record) {
      const isAsked = question.type === 'PTR' || question.type === 'ANY'
      return this.#encode(question, transport, reply('NOERROR', { answers: isAsked ? [record] : [] }))
    }
    if (this.#recursors.isConfigured) return this.#forward(question, bytes, transport)
    return this.#encode(question, transport, NO_ANSWER)
  }

  async #forward(question: DnsQuestion, bytes: Buffer, transport: Transport): Promise<Buffer> {
    const answer = await this.#recursors.forward(bytes, transport)
    if (!answer) return this.#encode(question, transport, NO_ANSWER)
    const most = transport === 'tcp' ? Infinity : Math.max(question.edns?.size ?? 0, MAX_PLAIN_BYTES)
    return answer.length <= most ? answer : truncated(answer, question)
  }

  /** Adds the records of the names that the answer refers to. */
  async #followed(
    { reply: of, follow }: ZoneReply,
    name: string,
    address: string,
    isEdns: boolean
  ): Promise<Reply> {
    const answers = [...of.answers]
    const additional = [...of.additional]
    for (const one of follow) {
      const seen = new Set([name.toLowerCase()])
      const records = await this.#chain(one, seen, address, MAX_STEPS - 1)
      const kept = isEdns ? records : records.slice(0, MAX_FOLLOWED)
      ;(one.into === 'answers' ? answers : additional).push(...kept)
    }
    return { ...of, answers, additional }
  }

  /** Returns the records of a name from the zone, or its addresses from other servers. */
  async #chain(one: Follow, seen: Set<string>, address: string, steps: number): Promise<DnsRecord[]> {
    const { target, ttl, texts } = one
    const lower = target.toLowerCase()
    if (steps < 0 || seen.has(lower)) return []
    seen.add(lower)
    const domain = this.#domainOf(target)
    const records: DnsRecord[] = []
    if (domain === undefined) records.push(...(await this.#recursors.addressesOf(target)))
    else {
      const found = await this.zone.answer({ name: target, type: 'ANY', domain, address })
      records.push(...found.reply.answers)
      for (const next of found.follow) records.push(...(await this.#chain(next, seen, address, steps - 1)))
    }
    const isKept = ({ type }: DnsRecord): boolean =>
      type === 'A' || type === 'AAAA' || type === 'CNAME' || (texts && type === 'TXT')
    const kept = records.filter(isKept)
    return ttl === undefined ? kept : kept.map(record => ({ ...record, ttl }))
  }
}

/** Reduces an answer that is too large to its header with TC set, and the question. */
const truncated = (answer: Buffer, question: DnsQuestion): Buffer => {
  const cut = Buffer.concat([answer.subarray(0, HEADER), question.bytes])
  cut[2] = (cut[2] ?? 0) | TC
  cut.fill(0, COUNTS, HEADER)
  return cut
}
