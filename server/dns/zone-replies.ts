// Converts the results of zone lookups to DNS answers (spec: queries.md §8.2 to §8.4).
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { familyOf } from '../../projections/ip-address.js'
import type { Instance, InstanceNode } from '../../projections/queries/instance.js'
import { LiveSettings, type Settings } from '../settings/settings.js'
import {
  addressFor,
  addressRecords,
  metadataRecords,
  plainName,
  serviceRecords,
  type Follow,
  type RecordSet
} from './instance-records.js'
import type { DnsTenancy } from './names.js'
import { reply, type DnsRecord, type Reply } from './records.js'
import { parseMilliseconds } from '../../events/duration.js'
import { RadixTree } from '../../projections/radix-tree.js'

const seconds = (ms: number): number => Math.trunc(ms / 1000)

/** TTLs of services: of the exact name, else of the longest `prefix*`, else 0. A lookup costs O(length of the name). */
export class ServiceTimes {
  readonly #exact = new Map<string, number>()
  readonly #prefixes = new RadixTree<number>()

  /** @param configured milliseconds by name or pattern */
  constructor(configured: Readonly<Record<string, number>>) {
    for (const [name, ms] of Object.entries(configured))
      if (name.endsWith('*')) this.#prefixes.put(name.slice(0, -1).toLowerCase(), seconds(ms))
      else this.#exact.set(name.toLowerCase(), seconds(ms))
  }

  of(service: string): number {
    const name = service.toLowerCase()
    return this.#exact.get(name) ?? this.#prefixes.longestPrefix(name) ?? 0
  }
}

export const queryTime = (ttl: string): number | undefined => {
  const ms = ttl === '' ? undefined : parseMilliseconds(ttl)
  return ms === undefined ? undefined : seconds(ms)
}

/** A question about a name in one of the domains. */
export interface ZoneQuestion {
  /** As written, without the final dot. */
  readonly name: string
  readonly type: string
  readonly domain: string
  /** From the client subnet option, or else the peer's address. */
  readonly address: string
}

/** An answer, and the names whose records it needs. */
export interface ZoneReply {
  readonly reply: Reply
  readonly follow: readonly Follow[]
}

export const NO_RECORDS: RecordSet = { answers: [], additional: [], follow: [] }

/** Returns an answer without references. */
export const plain = (answer: Reply): ZoneReply => ({ reply: answer, follow: [] })

@scoped(Lifecycle.ContainerScoped)
export class ZoneReplies {
  constructor(
    private readonly live: LiveSettings,
    private readonly clock: Clock
  ) {}

  get #settings(): Settings['dns_config'] {
    return this.live.current.dns_config
  }

  get nodeTtl(): number {
    return seconds(this.#settings.node_ttl)
  }

  authority(domain: string): DnsRecord {
    const { refresh, retry, expire, min_ttl } = this.#settings.soa
    const [mname, rname] = [`ns.${domain}`, `hostmaster.${domain}`]
    const serial = seconds(this.clock.now())
    const data = { mname, rname, serial, refresh, retry, expire, minimum: min_ttl }
    return { type: 'SOA', name: domain, ttl: min_ttl, data }
  }

  missing({ domain }: ZoneQuestion): ZoneReply {
    return plain(reply('NXDOMAIN', { authority: [this.authority(domain)] }))
  }

  node(question: ZoneQuestion, found: InstanceNode): ZoneReply {
    const { name, type } = question
    if (!['A', 'AAAA', 'ANY', 'TXT'].includes(type)) return plain(reply('NOERROR'))
    const ttl = this.nodeTtl
    const texts = metadataRecords(name, found.Meta, ttl)
    const tagged = found.TaggedAddresses
    const address = addressFor(type, found.Address, tagged?.['lan_ipv4'], tagged?.['lan_ipv6'])
    const family = familyOf(address)
    const answers: DnsRecord[] = []
    const follow: Follow[] = []
    if (family && (type === family || type === 'ANY'))
      answers.push({ type: family, name, ttl, data: address })
    else if (!family && address !== '' && type !== 'TXT') {
      const target = plainName(address)
      answers.push({ type: 'CNAME', name, ttl, data: target })
      follow.push({ target, ttl: undefined, into: 'answers', texts: true })
    }
    if (type === 'ANY' || type === 'TXT') answers.push(...texts)
    const isAdditional = type !== 'ANY' && type !== 'TXT' && this.#settings.enable_additional_node_meta_txt
    return { reply: reply('NOERROR', { answers, additional: isAdditional ? texts : [] }), follow }
  }

  /** Answers with at least one instance, in order. */
  instances(
    question: ZoneQuestion,
    instances: readonly Instance[],
    { datacenter, partition }: Pick<DnsTenancy, 'datacenter' | 'partition'>,
    ttl: number
  ): ZoneReply {
    const { a_record_limit, enable_additional_node_meta_txt } = this.#settings
    const context = { ...question, datacenter, partition, ttl }
    const records =
      question.type === 'SRV'
        ? serviceRecords(instances, context, enable_additional_node_meta_txt)
        : addressRecords(instances, context, a_record_limit)
    return this.found(question, records)
  }

  /** Adds the SOA record to an answer without records (RFC 2308). */
  found({ domain }: ZoneQuestion, { answers, additional, follow }: RecordSet): ZoneReply {
    const authority = answers.length === 0 ? [this.authority(domain)] : []
    return { reply: reply('NOERROR', { answers, authority, additional }), follow }
  }
}
