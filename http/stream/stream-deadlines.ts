// Ends streams at their requested time (`until=TIME`) with the newest commit at that time.
import type { Clock } from '../../actors/clock.js'
import type { Committer } from '../../actors/committer.js'
import type { Deadlines } from '../../actors/deadlines.js'
import type { EventLog } from '../../events/log/log.js'
import { justAfter } from '../../events/time.js'
import { UNREADABLE } from './control-lines.js'
import type { StreamSession } from './session.js'

const KIND = 'stream-until'
/** Deadlines cannot be cancelled, so later times are scheduled in steps of this length, in ms. */
const LONGEST_WAIT_MS = 3_600_000

type EndingStream = Pick<StreamSession, 'endAt' | 'end'>

interface StreamDeadlinesServices {
  readonly deadlines: Deadlines
  readonly clock: Clock
  readonly committer: Pick<Committer, 'durable'>
  readonly log: Pick<EventLog, 'indexAt'>
  readonly onFault: (error: unknown) => void
}

export class StreamDeadlines {
  /** By the time in epoch ms, decimal. */
  readonly #sessions = new Map<string, Set<EndingStream>>()

  constructor(private readonly services: StreamDeadlinesServices) {
    services.deadlines.on(KIND, times => this.#passed(times))
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
    const key = String(time)
    const sessions = this.#sessions.get(key)
    if (sessions?.delete(session) && sessions.size === 0) this.#sessions.delete(key)
  }

  /** Schedules the time plus 1 ms, since commits of that millisecond are included. */
  #wakeAt(time: string): void {
    const { deadlines, clock } = this.services
    deadlines.at(Math.min(Number(time) + 1, clock.now() + LONGEST_WAIT_MS), KIND, time)
  }

  #passed(times: readonly string[]): void {
    for (const time of times) {
      const sessions = this.#sessions.get(time)
      if (!sessions) continue
      if (Number(time) >= this.services.clock.now()) {
        this.#wakeAt(time)
        continue
      }
      this.#sessions.delete(time)
      void this.#endAll(sessions, Number(time))
    }
  }

  async #endAll(sessions: ReadonlySet<EndingStream>, time: number): Promise<void> {
    const { committer, log, onFault } = this.services
    try {
      await committer.durable()
      const last = (await log.indexAt(justAfter(time))) - 1
      for (const session of sessions) session.endAt(last)
    } catch (error) {
      onFault(error)
      for (const session of sessions) session.end(UNREADABLE)
    }
  }
}
