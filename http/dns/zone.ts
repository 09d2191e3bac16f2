// What DNS answers for the names under its domains (spec: queries.md §8.1 to §8.4).
import { Refusal } from '../../actors/refusal.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Authorizer } from '../../projections/acl/authorizer.js'
import { familyOf, addressOfBytes } from '../../projections/ip-address.js'
import { maySee, nodeTenancy } from '../../projections/queries/candidates.js'
import { worstStatus, type Instance } from '../../projections/queries/instance.js'
import { shuffle } from '../../projections/queries/order.js'
import { hasTags } from '../../projections/queries/select.js'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import type { Datacenters } from '../../projections/queries/failover.js'
import { Views } from '../../projections/views.js'
import { AgentTokens } from '../program/agent-tokens.js'
import { DATACENTERS } from '../program/ports.js'
import { LiveSettings } from '../settings/live-settings.js'
import type { Settings } from '../settings/settings.js'
import type { Ran } from '../routes/queries/query-run.js'
import {
  addressFor,
  addressRecords,
  plainName,
  serviceRecords,
  type Follow,
  type RecordSet
} from './instance-records.js'
import { parseName, type Lookup, type Place } from './names.js'
import { DnsQueries } from './queries.js'
import { reply, type DnsRecord, type Reply } from './records.js'
import { metadataRecords } from './texts.js'
import { queryTime, ServiceTimes } from './times.js'

/** A question about a name under one of the domains, and who asks it. */
export interface ZoneQuestion {
  /** As written, without the final dot. */
  readonly name: string
  readonly type: string
  /** The domain that the name belongs to, in lower case. */
  readonly domain: string
  /** The client's address: from the client subnet option, or else that of the peer. */
  readonly address: string
}

/** An answer, and the names whose records must be added to it. */
export interface ZoneAnswer {
  readonly reply: Reply
  readonly follow: readonly Follow[]
}

type LookupOf<Kind extends Lookup['kind']> = Extract<Lookup, { readonly kind: Kind }>

const SERVER_SERVICE = 'consul'
const HOME: Tenancy = { partition: 'default', namespace: 'default' }
const MOST_SERVERS = 3
const NOTHING_TO_FOLLOW: readonly Follow[] = []
const IPV4_DIGITS = 8
const IPV6_DIGITS = 32
const HEX = /^([0-9a-f]{2})+$/

const plain = (answer: Reply): ZoneAnswer => ({ reply: answer, follow: NOTHING_TO_FOLLOW })

/** Answers from the read models, without I/O. */
@scoped(Lifecycle.ContainerScoped)
export class Zone {
  readonly #live: LiveSettings
  readonly #views: Views
  readonly #clock: Clock
  readonly #agentTokens: AgentTokens
  readonly #datacenters: Datacenters
  readonly #times: ServiceTimes
  readonly #queries: DnsQueries

  constructor(
    live: LiveSettings,
    views: Views,
    clock: Clock,
    agentTokens: AgentTokens,
    queries: DnsQueries,
    @inject(DATACENTERS) datacenters: Datacenters
  ) {
    this.#live = live
    this.#views = views
    this.#clock = clock
    this.#agentTokens = agentTokens
    this.#queries = queries
    this.#datacenters = datacenters
    this.#times = new ServiceTimes(live.current.dns_config.service_ttl)
  }

  get #settings(): Settings {
    return this.#live.current
  }

  /** The SOA record of a domain. */
  authority(domain: string): DnsRecord {
    const { refresh, retry, expire, min_ttl } = this.#settings.dns_config.soa
    return {
      type: 'SOA',
      name: domain,
      ttl: min_ttl,
      data: {
        mname: `ns.${domain}`,
        rname: `hostmaster.${domain}`,
        serial: Math.trunc(this.#clock.now() / 1000),
        refresh,
        retry,
        expire,
        minimum: min_ttl
      }
    }
  }

  /** The answer to a question about a name under a domain. It waits only for queries that fail over. */
  answer(question: ZoneQuestion): ZoneAnswer | Promise<ZoneAnswer> {
    switch (question.type) {
      case 'AXFR':
        return plain(reply('NOTIMP'))
      case 'SOA': {
        const { servers, addresses } = this.#servers(question.domain)
        const answers = [this.authority(question.domain)]
        return plain(reply('NOERROR', { answers, authority: servers, additional: addresses }))
      }
      case 'NS': {
        const { servers, addresses } = this.#servers(question.domain)
        return plain(reply('NOERROR', { answers: servers, additional: addresses }))
      }
    }
    const name = question.name.toLowerCase().slice(0, -question.domain.length - 1)
    const labels = name === '' ? [] : name.split('.')
    const lookup = parseName(labels, question.type, this.#settings.dns_config.prefer_namespace)
    return lookup ? this.#lookUp(question, lookup) : this.#missing(question)
  }

  #missing({ domain }: ZoneQuestion): ZoneAnswer {
    return plain(reply('NXDOMAIN', { authority: [this.authority(domain)] }))
  }

  #lookUp(question: ZoneQuestion, lookup: Lookup): ZoneAnswer | Promise<ZoneAnswer> {
    if (lookup.kind === 'addr') return this.#address(question, lookup)
    const elsewhere = this.#elsewhere(question, lookup.place)
    if (elsewhere) return elsewhere
    if (lookup.kind === 'query') return this.#query(question, lookup)
    const authorizer = this.#authorizer()
    if (!authorizer) return plain(reply('SERVFAIL'))
    return lookup.kind === 'node'
      ? this.#node(question, lookup, authorizer)
      : this.#service(question, lookup, authorizer)
  }

  /** The answer for another datacenter; undefined for this one. */
  #elsewhere(question: ZoneQuestion, { datacenter }: Place): ZoneAnswer | undefined {
    if (datacenter === '' || datacenter === this.#settings.datacenter.toLowerCase()) return undefined
    const isKnown = this.#datacenters.nearest().some(name => name.toLowerCase() === datacenter)
    return isKnown ? plain(reply('SERVFAIL')) : this.#missing(question)
  }

  /** The rights of the default token, else of the anonymous one; undefined when that token is unknown. */
  #authorizer(): Authorizer | undefined {
    return this.#views.resolver.resolve(this.#secret(), this.#clock.now())?.authorizer
  }

  #secret(): string | undefined {
    return this.#agentTokens.fallback
  }

  #address(question: ZoneQuestion, { hex }: LookupOf<'addr'>): ZoneAnswer {
    if (!HEX.test(hex) || (hex.length !== IPV4_DIGITS && hex.length !== IPV6_DIGITS))
      return this.#missing(question)
    const type = hex.length === IPV4_DIGITS ? 'A' : 'AAAA'
    if (question.type !== type && question.type !== 'ANY') return this.#found(question, noRecords)
    const data = addressOfBytes([...Buffer.from(hex, 'hex')])
    const answers: DnsRecord[] = [{ type, name: question.name, ttl: this.#nodeTtl, data }]
    return plain(reply('NOERROR', { answers }))
  }

  get #nodeTtl(): number {
    return Math.trunc(this.#settings.dns_config.node_ttl / 1000)
  }

  #node(question: ZoneQuestion, { node, place }: LookupOf<'node'>, authorizer: Authorizer): ZoneAnswer {
    const found = this.#views.catalog.node(place.partition, node)?.node
    if (!found || !authorizer.may('node', 'read', found.Node, nodeTenancy(place)))
      return this.#missing(question)
    const { name, type } = question
    if (!['A', 'AAAA', 'ANY', 'TXT'].includes(type)) return plain(reply('NOERROR'))
    const ttl = this.#nodeTtl
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
    const isAdditional =
      type !== 'ANY' && type !== 'TXT' && this.#settings.dns_config.enable_additional_node_meta_txt
    return { reply: reply('NOERROR', { answers, additional: isAdditional ? texts : [] }), follow }
  }

  #service(
    question: ZoneQuestion,
    lookup: LookupOf<'service' | 'connect' | 'ingress'>,
    authorizer: Authorizer
  ): ZoneAnswer {
    const settings = this.#settings
    const { place, service } = lookup
    const source = this.#views.instances
    const all =
      lookup.kind === 'service'
        ? source.of(place, service)
        : lookup.kind === 'connect'
          ? source.connect(place, service)
          : source.ingress(place, service)
    const tags = lookup.kind === 'service' && lookup.tag !== '' ? lookup.tag : undefined
    const { only_passing } = settings.dns_config
    const isVisible = maySee(authorizer)
    const instances = all.filter(instance => {
      const status = worstStatus(instance.checks)
      return (
        status !== 'critical' &&
        (status === 'passing' || !only_passing) &&
        (tags === undefined || hasTags([tags], instance.service.Tags)) &&
        isVisible(instance)
      )
    })
    if (instances.length === 0) return this.#missing(question)
    const here = { ...place, datacenter: settings.datacenter }
    return this.#instances(question, shuffle(instances, Math.random), here, this.#times.of(service))
  }

  #query(question: ZoneQuestion, { name }: LookupOf<'query'>): ZoneAnswer | Promise<ZoneAnswer> {
    const show = ({ found, executed }: Ran): ZoneAnswer => {
      if (executed.instances.length === 0) return this.#missing(question)
      const ttl = queryTime(found.row.query.DNS.TTL) ?? this.#times.of(found.service.Service)
      const place = { ...HOME, datacenter: executed.datacenter }
      const shown = this.#instances(question, executed.instances, place, ttl)
      return { ...shown, reply: { ...shown.reply, bySubnet: true } }
    }
    try {
      const run = { name, secret: this.#secret(), now: this.#clock.now(), address: () => question.address }
      const ran = this.#queries.run(run)
      return ran instanceof Promise ? ran.then(show) : show(ran)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.kind === 'missing' ? this.#missing(question) : plain(reply('SERVFAIL'))
    }
  }

  #instances(
    question: ZoneQuestion,
    instances: readonly Instance[],
    { datacenter, partition }: Pick<Place, 'datacenter' | 'partition'>,
    ttl: number
  ): ZoneAnswer {
    const { a_record_limit, enable_additional_node_meta_txt } = this.#settings.dns_config
    const context = { ...question, datacenter, partition, ttl }
    const records =
      question.type === 'SRV'
        ? serviceRecords(instances, context, enable_additional_node_meta_txt)
        : addressRecords(instances, context, a_record_limit)
    return this.#found(question, records)
  }

  /** An answer without records has the SOA record in its authority section (RFC 2308). */
  #found({ domain }: ZoneQuestion, { answers, additional, follow }: RecordSet): ZoneAnswer {
    const authority = answers.length === 0 ? [this.authority(domain)] : []
    return { reply: reply('NOERROR', { answers, authority, additional }), follow }
  }

  /** The name servers of a domain, in random order, and their addresses. */
  #servers(domain: string): { readonly servers: DnsRecord[]; readonly addresses: DnsRecord[] } {
    const authorizer = this.#authorizer()
    const ttl = this.#nodeTtl
    const instances = authorizer
      ? this.#views.instances.of(HOME, SERVER_SERVICE).filter(maySee(authorizer))
      : []
    const chosen = shuffle([...instances], Math.random).slice(0, MOST_SERVERS)
    const named = chosen.map(({ node }) => ({
      name: `${node.Node}.node.${this.#settings.datacenter}.${domain}`.toLowerCase(),
      address: node.Address
    }))
    return {
      servers: named.map(({ name }) => ({ type: 'NS', name: domain, ttl, data: name })),
      addresses: named.flatMap(({ name, address }): DnsRecord[] => {
        const family = familyOf(address)
        return family ? [{ type: family, name, ttl, data: address }] : []
      })
    }
  }
}

const noRecords: RecordSet = { answers: [], additional: [], follow: [] }
