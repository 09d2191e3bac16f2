// Answers questions about names of this server's domains (spec: queries.md §8.1 to §8.4).
import { AccessUsage } from '../../http/wire/access-usage.js'
import { Refusal } from '../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { Authorizer } from '../../projections/acl/authorizer.js'
import { familyOf, addressOfBytes } from '../../projections/ip-address.js'
import { runAtOnce, type Steps } from '../../projections/steps.js'
import { Chunks } from '../../http/wire/cooperative-chunks.js'
import { canSeeInstance, hasTags, passing, shuffle } from '../../projections/queries/candidates.js'
import { nodeTenancy } from '../../projections/tenancy-view.js'
import { worstStatus, type Instance } from '../../projections/queries/instance.js'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import type { Datacenters } from '../../projections/queries/execute.js'
import { Views } from '../../projections/read-models.js'
import { AgentTokens } from '../settings/agent-tokens.js'
import { DATACENTERS } from '../settings/ports.js'
import { LiveSettings, type Settings } from '../settings/settings.js'
import { QueryRunner, type QueryResult, type QueryExecution } from '../../http/routes/queries/query-run.js'
import {
  REMOTE_LOOKUPS,
  type RemoteLookups,
  type RemoteLookupResult,
  type ServiceLookup
} from './remote-lookups.js'
import { parseName, type DnsLookup } from './names.js'
import { reply, type DnsRecord } from './records.js'
import {
  queryTime,
  ServiceTimes,
  NO_RECORDS,
  plain,
  ZoneReplies,
  type ZoneReply,
  type ZoneQuestion
} from './zone-replies.js'
import { ResponseCache } from '../../http/wire/reads/response-cache.js'

const INSTANCE_BYTES = 1000

const sizeOf = ({ executed }: QueryResult): number => (executed.instances.length + 1) * INSTANCE_BYTES

@scoped(Lifecycle.ContainerScoped)
class DnsQueries {
  readonly #kept: ResponseCache<QueryResult>

  constructor(
    private readonly settings: LiveSettings,
    private readonly runner: QueryRunner,
    clock: Clock
  ) {
    this.#kept = new ResponseCache(clock, sizeOf)
  }

  /** Runs a query. Cached results are not shuffled or sorted again. @throws Refusal */
  run(run: QueryExecution): QueryResult | Promise<QueryResult> {
    const { use_cache, cache_max_age } = this.settings.current.dns_config
    const authorizer = use_cache ? this.runner.rights(run) : undefined
    if (!authorizer) return this.runner.run(run)
    const key = JSON.stringify([run.secret ?? '', run.name])
    const known = this.#kept.find(key, authorizer)
    // A `cache_max_age` of 0 is no limit.
    if (known && (cache_max_age === 0 || known.age * 1000 <= cache_max_age)) return known.result
    const keep = (ran: QueryResult): QueryResult => {
      this.#kept.keep(key, ran, authorizer)
      return ran
    }
    const ran = this.runner.run(run)
    return ran instanceof Promise ? ran.then(keep) : keep(ran)
  }
}

type LookupOf<Kind extends DnsLookup['kind']> = Extract<DnsLookup, { readonly kind: Kind }>

interface Candidates {
  readonly all: readonly Instance[]
  readonly datacenter: string
  readonly isVisible: (instance: Instance) => boolean
}

type LookupThere = Exclude<DnsLookup, { readonly kind: 'addr' }>

const SERVER_SERVICE = 'consul'
const MAX_SERVERS = 3
const IPV4_DIGITS = 8
const IPV6_DIGITS = 32
const HEX = /^([0-9a-f]{2})+$/

/** Answers from the read models, and from other datacenters for their names. */
@scoped(Lifecycle.ContainerScoped)
export class Zone {
  readonly #times: ServiceTimes

  constructor(
    private readonly live: LiveSettings,
    private readonly replies: ZoneReplies,
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly agentTokens: AgentTokens,
    private readonly usage: AccessUsage,
    private readonly queries: DnsQueries,
    private readonly chunks: Chunks,
    @inject(DATACENTERS) private readonly datacenters: Datacenters,
    @inject(REMOTE_LOOKUPS, { isOptional: true }) private readonly elsewhere: RemoteLookups | undefined
  ) {
    this.#times = new ServiceTimes(live.current.dns_config.service_ttl)
  }

  get #settings(): Settings {
    return this.live.current
  }

  /** Waits only for other datacenters, and between the chunks of many instances. */
  answer(question: ZoneQuestion): ZoneReply | Promise<ZoneReply> {
    switch (question.type) {
      case 'AXFR':
        return plain(reply('NOTIMP'))
      case 'SOA': {
        const { servers: authority, additional } = this.#servers(question.domain)
        return plain(
          reply('NOERROR', { answers: [this.replies.authority(question.domain)], authority, additional })
        )
      }
      case 'NS': {
        const { servers: answers, additional } = this.#servers(question.domain)
        return plain(reply('NOERROR', { answers, additional }))
      }
    }
    const name = question.name.toLowerCase().slice(0, -question.domain.length - 1)
    const labels = name === '' ? [] : name.split('.')
    const lookup = parseName(labels, question.type, this.#settings.dns_config.prefer_namespace)
    return lookup ? this.#lookUp(question, lookup) : this.replies.missing(question)
  }

  #lookUp(question: ZoneQuestion, lookup: DnsLookup): ZoneReply | Promise<ZoneReply> {
    if (lookup.kind === 'addr') return this.#address(question, lookup)
    const { datacenter } = lookup.place
    if (datacenter !== '' && datacenter !== this.#settings.datacenter.toLowerCase())
      return this.#inOther(question, lookup, datacenter)
    if (lookup.kind === 'query') return this.#query(question, lookup)
    const authorizer = this.#authorizer()
    if (!authorizer) return plain(reply('SERVFAIL'))
    return lookup.kind === 'node'
      ? this.#node(question, lookup, authorizer)
      : this.chunks.run(this.#service(question, lookup, authorizer))
  }

  /** Answers for a name of another datacenter. @param label of the datacenter, in lower case */
  #inOther(question: ZoneQuestion, lookup: LookupThere, label: string): ZoneReply | Promise<ZoneReply> {
    const datacenter = this.datacenters.nearest().find(name => name.toLowerCase() === label)
    if (datacenter === undefined) return this.replies.missing(question)
    return this.#askThere(question, lookup, datacenter).catch(() => plain(reply('SERVFAIL')))
  }

  async #askThere(question: ZoneQuestion, lookup: LookupThere, datacenter: string): Promise<ZoneReply> {
    const [elsewhere, secret] = [this.elsewhere, this.#secret()]
    if (!elsewhere) throw new Error('other datacenters are not asked')
    switch (lookup.kind) {
      case 'node': {
        const found = await elsewhere.node(datacenter, lookup.node, lookup.place, secret)
        return found ? this.replies.node(question, found) : this.replies.missing(question)
      }
      case 'query': {
        const found = await elsewhere.query(datacenter, lookup.name, question.address, secret)
        return found ? this.#executed(question, found) : this.replies.missing(question)
      }
      case 'service':
      case 'connect':
      case 'ingress': {
        const all = await elsewhere.instances(datacenter, lookup, secret)
        return this.chunks.run(this.#instances(question, lookup, { all, datacenter, isVisible: () => true }))
      }
    }
  }

  /** Returns the permissions of the default token, else of the anonymous one; undefined if that token is unknown. */
  #authorizer(): Authorizer | undefined {
    const authority = this.views.resolver.resolve(this.#secret(), this.clock.now())
    return authority && this.usage.credited(authority)
  }

  #secret(): string | undefined {
    return this.agentTokens.fallback
  }

  #address(question: ZoneQuestion, { hex }: LookupOf<'addr'>): ZoneReply {
    if (!HEX.test(hex) || (hex.length !== IPV4_DIGITS && hex.length !== IPV6_DIGITS))
      return this.replies.missing(question)
    const type = hex.length === IPV4_DIGITS ? 'A' : 'AAAA'
    if (question.type !== type && question.type !== 'ANY') return this.replies.found(question, NO_RECORDS)
    const data = addressOfBytes([...Buffer.from(hex, 'hex')])
    const answers: DnsRecord[] = [{ type, name: question.name, ttl: this.replies.nodeTtl, data }]
    return plain(reply('NOERROR', { answers }))
  }

  #node(question: ZoneQuestion, { node, place }: LookupOf<'node'>, authorizer: Authorizer): ZoneReply {
    const found = this.views.catalog.node(place.partition, node)?.node
    if (!found || !authorizer.may('node', 'read', found.Node, nodeTenancy(place)))
      return this.replies.missing(question)
    return this.replies.node(question, found)
  }

  *#service(question: ZoneQuestion, lookup: ServiceLookup, authorizer: Authorizer): Steps<ZoneReply> {
    const { place, service, kind } = lookup
    const all = yield* this.views.instances[kind === 'service' ? 'of' : kind](place, service)
    const { datacenter } = this.#settings
    return yield* this.#instances(question, lookup, {
      all,
      datacenter,
      isVisible: canSeeInstance(authorizer)
    })
  }

  *#instances(
    question: ZoneQuestion,
    lookup: ServiceLookup,
    { all, datacenter, isVisible }: Candidates
  ): Steps<ZoneReply> {
    const { place, service } = lookup
    const tags = lookup.kind === 'service' && lookup.tag !== '' ? lookup.tag : undefined
    const { only_passing } = this.#settings.dns_config
    const instances = yield* passing(all, instance => {
      const status = worstStatus(instance.checks)
      return (
        status !== 'critical' &&
        (status === 'passing' || !only_passing) &&
        (tags === undefined || hasTags([tags], instance.service.Tags)) &&
        isVisible(instance)
      )
    })
    if (instances.length === 0) return this.replies.missing(question)
    const where = { ...place, datacenter }
    const inOrder = yield* shuffle([...instances], Math.random)
    return this.replies.instances(question, inOrder, where, this.#times.of(service))
  }

  #query(question: ZoneQuestion, { name }: LookupOf<'query'>): ZoneReply | Promise<ZoneReply> {
    const show = ({ found, executed: { instances, datacenter } }: QueryResult): ZoneReply => {
      const { TTL: ttl } = found.row.query.DNS
      return this.#executed(question, { instances, datacenter, ttl, service: found.service.Service })
    }
    try {
      const run = { name, secret: this.#secret(), now: this.clock.now(), address: () => question.address }
      const ran = this.queries.run(run)
      return ran instanceof Promise ? ran.then(show) : show(ran)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.kind === 'missing' ? this.replies.missing(question) : plain(reply('SERVFAIL'))
    }
  }

  #executed(question: ZoneQuestion, found: RemoteLookupResult): ZoneReply {
    const { instances, datacenter, service, ttl } = found
    if (instances.length === 0) return this.replies.missing(question)
    const seconds = queryTime(ttl) ?? this.#times.of(service)
    const shown = this.replies.instances(question, instances, { ...DEFAULT_TENANCY, datacenter }, seconds)
    return { ...shown, reply: { ...shown.reply, bySubnet: true } }
  }

  /** Returns the name servers of a domain in random order, and their addresses. */
  #servers(domain: string): { readonly servers: DnsRecord[]; readonly additional: DnsRecord[] } {
    const authorizer = this.#authorizer()
    const ttl = this.replies.nodeTtl
    const instances = authorizer
      ? runAtOnce(this.views.instances.of(DEFAULT_TENANCY, SERVER_SERVICE)).filter(canSeeInstance(authorizer))
      : []
    const chosen = runAtOnce(shuffle([...instances], Math.random, MAX_SERVERS)).slice(0, MAX_SERVERS)
    const named = chosen.map(({ node }) => ({
      name: `${node.Node}.node.${this.#settings.datacenter}.${domain}`.toLowerCase(),
      address: node.Address
    }))
    return {
      servers: named.map(({ name }) => ({ type: 'NS', name: domain, ttl, data: name })),
      additional: named.flatMap(({ name, address }): DnsRecord[] => {
        const family = familyOf(address)
        return family ? [{ type: family, name, ttl, data: address }] : []
      })
    }
  }
}
