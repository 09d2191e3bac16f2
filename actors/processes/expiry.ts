// Ends, by ordinary commands, what comes due by the clock. Whether a thing still counts is decided by the clock at each
// use; its end only frees what it holds.
import { Lifecycle, scoped } from 'tsyringe'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { Views } from '../../projections/views.js'
import type { Decider } from '../aggregate.js'
import { Clock } from '../clock.js'
import { SERVER, type Command } from '../command.js'
import { Committer } from '../committer.js'
import { Deadlines } from '../deadlines.js'
import { ActorSystem } from '../system.js'

/** How long to wait before an end that the log refused is tried again. */
const RETRY_MS = 1000

/** One kind of thing that ends by the clock. */
export interface Ending<C extends Command> {
  /** Names the kind among the deadlines. */
  readonly kind: string
  readonly aggregate: Decider<C>
  /** The command that ends things by their keys. It decides again, so that a deadline out of date does no harm. */
  readonly command: (keys: readonly string[], common: Pick<Command, 'tenancy' | 'caller' | 'at'>) => C
}

export interface Due {
  readonly key: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** One whose end is known from its beginning. */
export interface Expiring<C extends Command> extends Ending<C> {
  /** Those that there are. */
  all(views: Views): Iterable<Due>
  /** The one that began with an event, whose commit the read models have. */
  begunBy(event: Event, views: Views): Due | undefined
}

@scoped(Lifecycle.ContainerScoped)
export class Expiry {
  readonly #views: Views
  readonly #clock: Clock
  readonly #deadlines: Deadlines
  readonly #system: ActorSystem
  readonly #committer: Committer

  constructor(views: Views, clock: Clock, deadlines: Deadlines, system: ActorSystem, committer: Committer) {
    this.#views = views
    this.#clock = clock
    this.#deadlines = deadlines
    this.#system = system
    this.#committer = committer
  }

  /** From now on ends the things of a kind: those that there are, and those that commits begin. */
  follow<C extends Command>(expiring: Expiring<C>): void {
    const { kind } = expiring
    this.#deadlines.on(kind, keys => this.end(expiring, keys))
    this.#committer.signals.on('applied', ({ Events }) => {
      for (const event of Events) {
        const due = expiring.begunBy(event, this.#views)
        if (due) this.#deadlines.schedule(due.at, kind, due.key)
      }
    })
    for (const { key, at } of expiring.all(this.#views)) this.#deadlines.schedule(at, kind, key)
  }

  /** Ends things now; those whose end the log refuses become due again. */
  end<C extends Command>({ kind, aggregate, command }: Ending<C>, keys: readonly string[]): void {
    const at = this.#clock.now()
    this.#system
      .ask(aggregate, command(keys, { tenancy: DEFAULT_TENANCY, caller: SERVER, at }), () => undefined)
      .catch(() => {
        for (const key of keys) this.#deadlines.schedule(at + RETRY_MS, kind, key)
      })
  }
}
