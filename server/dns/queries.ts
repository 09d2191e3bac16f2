// Runs prepared queries for DNS, from a cache if `dns_config.use_cache` is set (spec: queries.md §6.6, §8.9).
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { LiveSettings } from '../settings/live-settings.js'
import { KeptResults } from '../../http/wire/reads/kept-results.js'
import { QueryRunner, type QueryRun, type Ran } from '../../http/routes/queries/query-run.js'

/** An estimate of what one instance takes in memory, in bytes. */
const INSTANCE_BYTES = 1000

const sizeOf = ({ executed }: Ran): number => (executed.instances.length + 1) * INSTANCE_BYTES

@scoped(Lifecycle.ContainerScoped)
export class DnsQueries {
  readonly #kept: KeptResults<Ran>

  constructor(
    private readonly settings: LiveSettings,
    private readonly runner: QueryRunner,
    clock: Clock
  ) {
    this.#kept = new KeptResults(clock, sizeOf)
  }

  /** Runs a query as `QueryRunner` does. Cached results are not shuffled or sorted again. @throws Refusal */
  run(run: QueryRun): Ran | Promise<Ran> {
    const { use_cache, cache_max_age } = this.settings.current.dns_config
    if (!use_cache) return this.runner.run(run)
    const authorizer = this.runner.rights(run)
    if (!authorizer) return this.runner.run(run)
    const key = JSON.stringify([run.secret ?? '', run.name])
    const known = this.#kept.find(key, authorizer)
    // A `cache_max_age` of 0 is no limit: results then stay until they are too old for any answer.
    if (known && (cache_max_age === 0 || known.age * 1000 <= cache_max_age)) return known.result
    const keep = (ran: Ran): Ran => {
      this.#kept.keep(key, ran, authorizer)
      return ran
    }
    const ran = this.runner.run(run)
    return ran instanceof Promise ? ran.then(keep) : keep(ran)
  }
}
