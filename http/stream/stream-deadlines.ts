// Ends streams at their requested time (`until=TIME`) with the newest commit at that time.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { EVENT_LOG, LOGGER } from '../../server/settings/ports.js'
import { Clock, Deadlines } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import type { LogReader } from '../../events/log/log.js'
import { indexAt } from '../../events/log/lookups.js'
import { justAfter } from '../../events/time.js'
import { removeFrom } from '../../projections/maps.js'
import { UNREADABLE } from './control-lines.js'
import type { StreamSession } from './session.js'

const KIND = 'stream-until'
/** Deadlines cannot be cancelled, so later times are scheduled in steps of this length, in ms. */
const LONGEST_WAIT_MS = 3_600_000

type EndingStream = Pick<StreamSession, 'endAt' | 'end'>

@scoped(Lifecycle.ContainerScoped)
export class StreamDeadlines {
  /** By the time in epoch ms, decimal. */
  readonly #sessions = new Map<string, Set<EndingStream>>()

  constructor(
    private readonly deadlines: Deadlines,
    private readonly clock: Clock,
    private readonly committer: Committer,
    @inject(EVENT_LOG) private readonly log: LogReader,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    deadlines.on(KIND, times => this.#passed(times))
  }

  /** @param time epoch ms */
  add(session: EndingStream, time: number): void {
    const key = String(time)
    const known = this.#sessions.get(key)
    if (known) return void known.add(session)
    this.#sessions.set(key, new Set([session]))
    this.#wakeAt(key)
  }

  forget(session: EndingStream, time: number): void {
    removeFrom(this.#sessions, String(time), session)
  }

  /** Schedules the time plus 1 ms, since commits of that millisecond are included. */
  #wakeAt(time: string): void {
    this.deadlines.at(Math.min(Number(time) + 1, this.clock.now() + LONGEST_WAIT_MS), KIND, time)
  }

  #passed(times: readonly string[]): void {
    for (const time of times) {
      const sessions = this.#sessions.get(time)
      if (!sessions) continue
      if (Number(time) >= this.clock.now()) {
        this.#wakeAt(time)
        continue
      }
      this.#sessions.delete(time)
      void this.#endAll(sessions, Number(time))
    }
  }

  async #endAll(sessions: ReadonlySet<EndingStream>, time: number): Promise<void> {
    try {
      await this.committer.durable()
      const last = (await indexAt(this.log, justAfter(time))) - 1
      for (const session of sessions) session.endAt(last)
    } catch (error) {
      this.logger.error({ err: error }, 'an event stream failed')
      for (const session of sessions) session.end(UNREADABLE)
    }
  }
}
