// Streams that end at a moment (`until=TIME`): told their last commit when it has passed.
import type { Clock } from '../../actors/clock.js'
import type { Committer } from '../../actors/committer.js'
import type { Deadlines } from '../../actors/deadlines.js'
import type { EventLog } from '../../events/log/log.js'
import { justAfter } from '../../events/time.js'
import { UNREADABLE } from './control-lines.js'
import type { StreamSession } from './session.js'

/** The kind under which the deadlines know these moments. */
const KIND = 'stream-until'
/** The deadlines forget nothing before its time, so that of a moment further off than this they are told again when it is over, in ms. */
const LONGEST_WAIT_MS = 3_600_000

type Ending = Pick<StreamSession, 'endAt' | 'end'>

interface TimedEndsParts {
  readonly deadlines: Deadlines
  readonly clock: Clock
  readonly committer: Pick<Committer, 'durable'>
  readonly log: Pick<EventLog, 'indexAt'>
  readonly onFault: (error: unknown) => void
}

export class StreamDeadlines {
  /** By the moment in epoch ms, decimal. */
  readonly #sessions = new Map<string, Set<Ending>>()

  constructor(private readonly parts: TimedEndsParts) {
    parts.deadlines.on(KIND, moments => this.#passed(moments))
  }

  /** @param time epoch ms */
  add(session: Ending, time: number): void {
    const key = String(time)
    const known = this.#sessions.get(key)
    if (known) return void known.add(session)
    this.#sessions.set(key, new Set([session]))
    this.#wakeAt(key)
  }

  /** It has ended before. */
  forget(session: Ending, time: number): void {
    const key = String(time)
    const sessions = this.#sessions.get(key)
    if (sessions?.delete(session) && sessions.size === 0) this.#sessions.delete(key)
  }

  /** Commits of that very millisecond still belong to it. */
  #wakeAt(moment: string): void {
    const { deadlines, clock } = this.parts
    deadlines.at(Math.min(Number(moment) + 1, clock.now() + LONGEST_WAIT_MS), KIND, moment)
  }

  /** The newest commit of each moment, which has passed, is the last that its streams send. */
  #passed(moments: readonly string[]): void {
    for (const moment of moments) {
      const sessions = this.#sessions.get(moment)
      if (!sessions) continue
      if (Number(moment) >= this.parts.clock.now()) {
        this.#wakeAt(moment)
        continue
      }
      this.#sessions.delete(moment)
      void this.#endAll(sessions, Number(moment))
    }
  }

  async #endAll(sessions: ReadonlySet<Ending>, time: number): Promise<void> {
    const { committer, log, onFault } = this.parts
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
