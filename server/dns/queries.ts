// Runs prepared queries for DNS, from a cache if `dns_config.use_cache` is set (spec: queries.md §6.6, §8.9).
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { LiveSettings } from '../settings/live-settings.js'
import { ResponseCache } from '../../http/wire/reads/response-cache.js'
import { QueryRunner, type QueryExecution, type QueryResult } from '../../http/routes/queries/query-run.js'

/** An estimate of what one instance takes in memory, in bytes. */
const INSTANCE_BYTES = 1000

const sizeOf = ({ executed }: QueryResult): number => (executed.instances.length + 1) * INSTANCE_BYTES

@scoped(Lifecycle.ContainerScoped)
export class DnsQueries {
  readonly #kept: ResponseCache<QueryResult>

  constructor(
    private readonly settings: LiveSettings,
    private readonly runner: QueryRunner,
    clock: Clock
  ) {
    this.#kept = new ResponseCache(clock, sizeOf)
  }

  /** Runs a query as `QueryRunner` does. Cached results are not shuffled or sorted again. @throws Refusal */
  run(run: QueryExecution): QueryResult | Promise<QueryResult> {
    const { use_cache, cache_max_age } = this.settings.current.dns_config
    if (!use_cache) return this.runner.run(run)
    const authorizer = this.runner.rights(run)
    if (!authorizer) return this.runner.run(run)
    const key = JSON.stringify([run.secret ?? '', run.name])
    const known = this.#kept.find(key, authorizer)
    // A `cache_max_age` of 0 is no limit: results then stay until they are too old for any answer.
    if (known && (cache_max_age === 0 || known.age * 1000 <= cache_max_age)) return known.result
    const keep = (ran: QueryResult): QueryResult => {
      this.#kept.keep(key, ran, authorizer)
      return ran
    }
    const ran = this.runner.run(run)
    return ran instanceof Promise ? ran.then(keep) : keep(ran)
  }
}
