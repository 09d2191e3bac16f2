// Deliveries of one cursor, each a run of consecutive events, checked against the log that is left.
import { HistoryError } from './history.js'
import { lineOf, type ShownEvent } from './subscribers.js'

/** What one connection or one request delivered. */
export interface Delivery {
  /** Nothing up to this index may be delivered again. */
  readonly floor: number
  /** Everything after this index must still be delivered. */
  readonly ceiling: number
  readonly lines: string[]
}

/** A message of the event stream. */
export type Message = { readonly Index?: number; readonly Events?: readonly ShownEvent[] }

export class Deliveries {
  readonly #all: Delivery[] = []

  constructor(private readonly cursor: string) {}

  add(delivery: Delivery): void {
    this.#all.push(delivery)
  }

  /** @throws HistoryError if an event was skipped, repeated after it was acknowledged, changed or at another place */
  check(events: readonly ShownEvent[]): void {
    const log = events.map(lineOf)
    const places = new Map(log.map((line, at) => [line, at]))
    for (const delivery of this.#all) this.#check(delivery, events, log, places)
  }

  error(text: string): HistoryError {
    return new HistoryError(`the cursor ${this.cursor} ${text}`)
  }

  #check(
    { floor, ceiling, lines }: Delivery,
    events: readonly ShownEvent[],
    log: readonly string[],
    places: ReadonlyMap<string, number>
  ): void {
    const [first] = lines
    if (first === undefined) return
    const start = places.get(first)
    if (start === undefined) throw this.error(`was given ${first}, which is not in the log`)
    if ((events[start]?.Index ?? 0) <= floor)
      throw this.error(`was given ${first} again, although ${floor} was acknowledged`)
    const before = events[start - 1]
    if (before && before.Index > ceiling) throw this.error(`was not given ${lineOf(before)}`)
    for (const [at, line] of lines.entries())
      if (line !== log[start + at])
        throw this.error(`was given ${line} where the log has ${log[start + at] ?? 'nothing'}`)
  }
}
