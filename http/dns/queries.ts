// How DNS runs prepared queries: anew, or with `dns_config.use_cache` from what was found before (spec: queries.md §6.6, §8.9).
import type { App } from '../program/app.js'
import { KeptResults } from '../wire/reads/kept-results.js'
import { queryRights, runQuery, type QueryRun, type Ran } from '../routes/queries/query-run.js'

/** About what one instance takes up, in bytes. */
const INSTANCE_BYTES = 1000

const sizeOf = ({ executed }: Ran): number => (executed.instances.length + 1) * INSTANCE_BYTES

export class DnsQueries {
  readonly #app: App
  readonly #kept: KeptResults<Ran>

  constructor(app: App) {
    this.#app = app
    this.#kept = new KeptResults(app.clock, sizeOf)
  }

  /** Runs a query as `runQuery` does. What is kept is neither shuffled nor sorted anew. @throws Refusal */
  run(run: QueryRun): Ran | Promise<Ran> {
    const { use_cache, cache_max_age } = this.#app.settings.dns_config
    if (!use_cache) return runQuery(this.#app, run)
    const authorizer = queryRights(this.#app, run)
    if (!authorizer) return runQuery(this.#app, run)
    const key = JSON.stringify([run.secret ?? '', run.name])
    const known = this.#kept.find(key, authorizer)
    // An age of 0 is no bound: what is kept then stays until it is too old for any answer.
    if (known && (cache_max_age === 0 || known.age * 1000 <= cache_max_age)) return known.result
    const keep = (ran: Ran): Ran => {
      this.#kept.keep(key, ran, authorizer)
      return ran
    }
    const ran = runQuery(this.#app, run)
    return ran instanceof Promise ? ran.then(keep) : keep(ran)
  }
}
