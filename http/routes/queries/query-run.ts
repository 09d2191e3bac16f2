// Runs prepared queries by name for HTTP and DNS (queries.md §4.3, §6).
import { aclNotFound, invalid, Refusal, unknownToken } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import {
  execute,
  executeLocally,
  type Executed,
  type ExecutedLocally,
  type Datacenters
} from '../../../projections/queries/execute.js'
import { findQuery } from '../../../projections/queries/queries.js'
import type { Instance } from '../../../projections/queries/instance.js'
import type { FoundQuery } from '../../../projections/queries/query-row.js'
import { type Near, canSeeInstance } from '../../../projections/queries/candidates.js'
import { TemplateError } from '../../../projections/queries/template.js'
import { Chunks } from '../../wire/cooperative-chunks.js'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Views } from '../../../projections/read-models.js'
import { DATACENTERS } from '../../../server/settings/ports.js'
import { LiveSettings } from '../../../server/settings/settings.js'
import { AccessUsage } from '../../wire/access-usage.js'
import { REMOTE_TOKEN_RESOLUTION, type RemoteTokenResolution } from '../../wire/remote-token-resolution.js'

export interface QueryExecution {
  /** ID, name, or a name that a template is for. */
  readonly name: string
  /** Secret of the caller; undefined for none. */
  readonly secret: string | undefined
  /** Epoch milliseconds. */
  readonly now: number
  /** Returns the canonical address of the caller, for `_ip`. */
  readonly address: () => string
  /** Overrides the query's own `Near`. */
  readonly near?: string | undefined
  /** True for a caller in another datacenter, for whom no node here is near. */
  readonly isFromElsewhere?: boolean
  readonly limit?: number
  readonly connect?: boolean
  /** Called before each further chunk; throws to end the execution. */
  readonly proceed?: () => void
}

export interface QueryResult {
  readonly found: FoundQuery
  readonly executed: Executed
}

/** Returns the secret that determines the permissions: the query's own, else the caller's (queries.md §4.3). */
const secretFor = ({ row }: FoundQuery, secret: string | undefined): string | undefined => row.token || secret

@scoped(Lifecycle.ContainerScoped)
export class QueryRunner {
  constructor(
    private readonly views: Views,
    private readonly settings: LiveSettings,
    @inject(DATACENTERS) private readonly datacenters: Datacenters,
    private readonly usage: AccessUsage,
    private readonly chunks: Chunks,
    @inject(REMOTE_TOKEN_RESOLUTION, { isOptional: true })
    private readonly tokensElsewhere: RemoteTokenResolution | undefined
  ) {}

  /** @throws Refusal `missing` for an unknown name, `invalid` if the template has no value for it */
  resolve(name: string): FoundQuery {
    const found = this.#lookUp(name)
    if (!found) throw new Refusal('query.not-found', 'Query not found')
    return found
  }

  /**
   * Returns the permissions of an execution, even of an unknown query; undefined for an unknown token.
   * @throws Refusal `invalid`
   */
  rights({ name, secret, now }: Pick<QueryExecution, 'name' | 'secret' | 'now'>): Authorizer | undefined {
    const found = this.#lookUp(name)
    return this.views.resolver.resolve(found ? secretFor(found, secret) : secret, now)?.authorizer
  }

  /**
   * Runs a query. Returns a promise only for many instances, or if other datacenters must find instances or resolve the token.
   * @throws Refusal `missing`, `invalid`; `denied` if the token of the query, or else of the caller, is unknown
   */
  run(run: QueryExecution): QueryResult | Promise<QueryResult> {
    const learning = this.tokensElsewhere?.learn(secretFor(this.resolve(run.name), run.secret))
    return learning ? learning.then(() => this.#run(run)) : this.#run(run)
  }

  #run(run: QueryExecution): QueryResult | Promise<QueryResult> {
    const found = this.resolve(run.name)
    const secret = secretFor(found, run.secret)
    const authority = this.views.resolver.resolve(secret, run.now)
    if (!authority) throw secret === run.secret ? unknownToken() : aclNotFound()
    const near = run.isFromElsewhere ? '' : run.near || found.service.Near
    const execution = {
      candidates: this.views.candidates,
      datacenter: this.settings.current.datacenter,
      datacenters: this.datacenters,
      authorizer: authority.authorizer,
      secret,
      random: Math.random,
      near: near === '' ? undefined : this.#nearOf(near, run.address),
      limit: run.limit ?? 0,
      connect: run.connect ?? false
    }
    const resultOf = (visible: readonly Instance[], executed: Executed): QueryResult => {
      // Which instances are visible is cached.
      const shown = execution.limit <= 0 && executed.failovers === 0 ? visible : executed.instances
      this.usage.creditList(authority, shown, canSeeInstance)
      return { found, executed }
    }
    const executedWith = ({ visible, instances }: ExecutedLocally): QueryResult | Promise<QueryResult> => {
      const executed = execute(found, execution, instances)
      return executed instanceof Promise
        ? executed.then(done => resultOf(visible, done))
        : resultOf(visible, executed)
    }
    const here = this.chunks.run(executeLocally(found, execution), run.proceed)
    return here instanceof Promise ? here.then(executedWith) : executedWith(here)
  }

  /** @throws Refusal `invalid` if the template has no value for the name */
  #lookUp(name: string): FoundQuery | undefined {
    try {
      return findQuery(this.views.queries, name)
    } catch (error) {
      if (error instanceof TemplateError) throw invalid('query.invalid', error.message)
      throw error
    }
  }

  #nearOf(near: string, address: () => string): Near | undefined {
    const { addresses, coordinates } = this.views
    const own = this.settings.current.node_name
    const node = near === '_agent' ? own : near === '_ip' ? addresses.nodesAt(address())[0] : near
    return node ? { node, placesOf: name => coordinates.of(DEFAULT_TENANCY.partition, name) } : undefined
  }
}
