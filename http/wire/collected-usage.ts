// Collects the recorded questions of all servers of the cluster.
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import type { DayCoverage } from '../../projections/acl/usage/coverage.js'
import { holds, type HeldResource } from '../../projections/acl/usage/holders.js'
import { codeOf } from '../../projections/acl/usage/question.js'
import { QuestionStore, type StoredCount } from '../../projections/acl/usage/question-store.js'
import { StepPace, type Steps } from '../../projections/steps.js'
import { LiveSettings } from '../../server/settings/live-settings.js'
import { AccessUsageStore } from './access-usage-store.js'
import { runBeside } from './cooperative-chunks.js'
import type { RequestContext } from './request-context.js'
import { decodeUsage, encodeUsage } from './usage-lines.js'

export const SERVER_USAGE_PATH = '/v1/internal/acl/usage'

/** The bytes of a server; undefined if it has not answered. */
interface ServerUsage {
  readonly name: string
  readonly bytes: Buffer | undefined
}

export interface UsagePeers {
  /** Asks the other servers of the cluster. @param url path and query. @param secret of the caller */
  ask(url: string, secret: string | undefined, signal: AbortSignal): Promise<readonly ServerUsage[]>
}

/** Only in a cluster. */
export const USAGE_PEERS: InjectionToken<UsagePeers> = Symbol('UsagePeers')

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
    @inject(USAGE_PEERS, { isOptional: true }) private readonly peers: UsagePeers | undefined
  ) {}

  /** Returns the questions of this server alone, as they change. */
  local(): CollectedUsage {
    this.store.observe()
    const { node_name: name } = this.live.current
    return {
      questions: this.store.questions,
      servers: [{ name, ...this.store.coverage.since(0) }],
      notHeard: []
    }
  }

  /** Encodes the questions of this server alone. @param since minutes since the epoch */
  own(request: RequestContext, held: HeldResource, since: number): Promise<Buffer> {
    this.store.observe()
    const counts = this.#countsOf(request, held, since)
    return runBeside(encodeUsage(this.store.coverage.since(since), counts), request.readerCheck())
  }

  /** Collects the questions of the tokens that have the rights of a resource. @param since minutes since the epoch */
  async of(request: RequestContext, held: HeldResource, since: number): Promise<CollectedUsage> {
    this.store.observe()
    const { acl, datacenters, datacenter, node_name: name } = this.live.current
    const check = request.readerCheck()
    const questions = new QuestionStore(acl.usage.entries)
    let lost = 0
    const put = (count: StoredCount): void => {
      if (!questions.put(count)) lost += count.count
    }
    await runBeside(putAll(this.#countsOf(request, held, since), put), check)
    const own = this.store.coverage.since(since)
    const servers = [{ name, ...own }]
    const notHeard = Object.keys(datacenters).filter(other => other !== datacenter)
    const url = `${SERVER_USAGE_PATH}?kind=${held.kind}&id=${encodeURIComponent(held.id)}&since=${since}`
    const gone = AbortSignal.timeout(PEER_TIMEOUT_MS)
    for (const { name: peer, bytes } of (await this.peers?.ask(url, request.secret, gone)) ?? []) {
      const coverage = bytes && (await runBeside(decodeUsage(bytes, put), check))
      if (coverage) servers.push({ name: peer, ...coverage })
      else notHeard.push(peer)
    }
    servers[0] = { name, observed: own.observed, lost: own.lost + lost }
    return { questions, servers, notHeard }
  }

  *#countsOf({ views }: RequestContext, held: HeldResource, since: number): Iterable<StoredCount> {
    const { questions } = this.store
    for (const subject of questions.subjects())
      if (holds(subject, held, views))
        for (const { resource, access, isAllowed, ...question } of questions.of(subject, since))
          yield { subject, code: codeOf(resource, access, isAllowed), ...question }
  }
}

/** A server that takes longer is not heard. */
const PEER_TIMEOUT_MS = 3000

function* putAll(counts: Iterable<StoredCount>, put: (count: StoredCount) => void): Steps<void> {
  const pace = new StepPace()
  for (const count of counts) {
    put(count)
    if (pace.isOver()) yield
  }
}
