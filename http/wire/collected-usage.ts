// Collects the recorded questions of all servers of the cluster, and of other datacenters.
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import type { DayCoverage } from '../../projections/acl/usage/coverage.js'
import { holds, type HeldResource } from '../../projections/acl/usage/holders.js'
import { codeOf } from '../../projections/acl/usage/question-counter.js'
import { QuestionStore, type StoredCount } from '../../projections/acl/usage/question-store.js'
import type { UsageSubject } from '../../projections/acl/usage/question.js'
import { StepPace, type Steps } from '../../projections/steps.js'
import { Timers } from '../../actors/clock.js'
import { recover } from '../../events/errors.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { AccessUsageStore } from './access-usage-store.js'
import type { RequestContext } from './request-context.js'
import { decodeUsage, encodeUsage, joinServers, splitServers, type ServerUsage } from './usage-lines.js'

export const SERVER_USAGE_PATH = '/v1/internal/acl/usage'

export interface UsagePeers {
  /** Asks the other servers of the cluster. @param url path and query. @param secret of the caller */
  ask(url: string, secret: string | undefined, signal: AbortSignal): Promise<readonly ServerUsage[]>
}

/** Only in a cluster. */
export const USAGE_PEERS: InjectionToken<UsagePeers> = Symbol('UsagePeers')

export interface UsageDatacenters {
  /** Returns what the servers of a datacenter have, joined; undefined for a refusal. @throws Error if it cannot be reached */
  ask(
    datacenter: string,
    url: string,
    secret: string | undefined,
    signal: AbortSignal
  ): Promise<Buffer | undefined>
}

/** Only if the settings name other datacenters. */
export const USAGE_DATACENTERS: InjectionToken<UsageDatacenters> = Symbol('UsageDatacenters')

/** Undefined for all tokens. */
type Held = HeldResource | undefined

type IsSent = (subject: UsageSubject) => boolean

export interface CollectedUsage {
  readonly questions: QuestionStore
  readonly servers: readonly (DayCoverage & { readonly name: string })[]
  readonly notHeard: readonly string[]
}

@scoped(Lifecycle.ContainerScoped)
export class UsageCollection {
  constructor(
    private readonly store: AccessUsageStore,
    private readonly live: LiveSettings,
    private readonly timers: Timers,
    @inject(USAGE_PEERS, { isOptional: true }) private readonly peers: UsagePeers | undefined,
    @inject(USAGE_DATACENTERS, { isOptional: true })
    private readonly datacenters: UsageDatacenters | undefined
  ) {}

  /** Encodes the questions of this server alone. @param since minutes since the epoch */
  own(request: RequestContext, held: Held, since: number, isSent: IsSent): Promise<Buffer> {
    this.store.observe()
    const counts = this.#countsOf(request, held, since, isSent)
    return request.runBeside(encodeUsage(this.store.coverage.since(since), counts))
  }

  /** Encodes the questions of each server of this datacenter. @param since minutes since the epoch */
  async ofDatacenter(request: RequestContext, held: Held, since: number, isSent: IsSent): Promise<Buffer> {
    const bytes = await this.own(request, held, since, isSent)
    const own = { name: this.live.current.node_name, bytes }
    return joinServers([own, ...(await this.#askPeers(request, held, since))])
  }

  /** Collects the questions of the tokens that have the rights of a resource, in all datacenters. @param since minutes since the epoch */
  async of(request: RequestContext, held: Held, since: number): Promise<CollectedUsage> {
    const { usage, include } = await this.#ofCluster(request, held, since)
    const url = `${urlOf(request, held, since)}&all`
    const gone = this.timers.abortAfter(DATACENTER_TIMEOUT_MS)
    const joined = await Promise.all(
      this.#others.map(async name => {
        const bytes = await this.datacenters?.ask(name, url, request.secret, gone).catch(() => undefined)
        return {
          name,
          servers:
            bytes &&
            recover(
              () => splitServers(bytes),
              Error,
              () => undefined
            )
        }
      })
    )
    for (const { name, servers } of joined) {
      if (!servers) usage.notHeard.push(name)
      for (const server of servers ?? []) await include({ ...server, name: `${name}/${server.name}` }, name)
    }
    return usage
  }

  get #others(): readonly string[] {
    const { datacenters, datacenter } = this.live.current
    return Object.keys(datacenters).filter(other => other !== datacenter)
  }

  async #ofCluster(request: RequestContext, held: Held, since: number) {
    this.store.observe()
    const { acl, node_name: name } = this.live.current
    const questions = new QuestionStore(acl.usage.entries)
    const own = { name, ...this.store.coverage.since(since) }
    const put = (count: StoredCount): void => {
      if (!questions.put(count)) own.lost += count.count
    }
    await request.runBeside(putAll(this.#countsOf(request, held, since), put))
    const usage = { questions, servers: [own], notHeard: new Array<string>() }
    const include = async ({ name: server, bytes }: ServerUsage, datacenter?: string): Promise<void> => {
      const of = datacenter === undefined ? {} : { datacenter }
      const putThere = (count: StoredCount): void => put({ ...count, subject: { ...count.subject, ...of } })
      const coverage = bytes && (await request.runBeside(decodeUsage(bytes, putThere)).catch(() => undefined))
      if (coverage) usage.servers.push({ name: server, ...coverage })
      else usage.notHeard.push(server)
    }
    for (const peer of await this.#askPeers(request, held, since)) await include(peer)
    return { usage, include }
  }

  async #askPeers(request: RequestContext, held: Held, since: number) {
    const gone = this.timers.abortAfter(PEER_TIMEOUT_MS)
    return (await this.peers?.ask(urlOf(request, held, since), request.secret, gone)) ?? []
  }

  *#countsOf(
    { views }: RequestContext,
    held: Held,
    since: number,
    isSent: IsSent = () => true
  ): Iterable<StoredCount> {
    const { questions } = this.store
    for (const subject of questions.subjects())
      if ((!held || holds(subject, held, views)) && isSent(subject))
        for (const { resource, access, isAllowed, ...question } of questions.of(subject, since))
          yield { subject, code: codeOf(resource, access, isAllowed), ...question }
  }
}

/** A server that takes longer is not heard. */
const PEER_TIMEOUT_MS = 3000
/** A datacenter waits for its servers. */
const DATACENTER_TIMEOUT_MS = 5000

const urlOf = ({ tenancy }: RequestContext, held: Held, since: number): string => {
  const of = held ? `kind=${held.kind}&id=${encodeURIComponent(held.id)}&` : ''
  return `${SERVER_USAGE_PATH}?${of}since=${since}&partition=${tenancy.partition}&ns=*`
}

function* putAll(counts: Iterable<StoredCount>, put: (count: StoredCount) => void): Steps<void> {
  const pace = new StepPace()
  for (const count of counts) {
    put(count)
    if (pace.isOver()) yield
  }
}
