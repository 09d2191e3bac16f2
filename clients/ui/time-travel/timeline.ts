// The things of a list as of a commit, and the commits around it: a step back or forward among those asks nothing of the server.
import type { Connection } from '../../typescript/connection.js'
import { EventStream, type EventMessage } from '../../typescript/events.js'
import { RequestRefused } from '../../typescript/failures.js'
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { identityOf, isDeletion } from '../resources/fold.js'
import type { PointInTime } from './as-of-state.js'

/** So many commits before the one that is asked for are read with it, and as many behind it. */
const AROUND = 100
const GONE = 410

/** Which things. */
export interface TimelineSelection {
  readonly topics: readonly string[]
  readonly namespace?: string
  readonly partition?: string
  /** An expression that the server evaluates. */
  readonly filter?: string
}

/** A commit that changed some of them. */
interface Step {
  readonly index: number
  readonly events: readonly StreamedEvent[]
  /** What takes that back, once it was folded. */
  undo?: readonly StreamedEvent[]
}

interface Stretch {
  readonly from: number
  readonly until: number
  /** What there was at its beginning. */
  readonly state: readonly EventMessage[]
  readonly steps: Step[]
}

/** Takes a thing out that was not there before. */
const ended = (event: StreamedEvent): StreamedEvent => ({ ...event, Type: `${event.Topic}Deleted` })

const isErased = ({ events }: Step): boolean => events.some(event => 'Erased' in event)

export class Timeline {
  #resources = new Map<string, StreamedEvent>()
  #stretch: Stretch = { from: 0, until: -1, state: [], steps: [] }
  /** How many steps of the stretch are folded. */
  #folded = 0

  constructor(
    private readonly connection: Connection,
    private readonly of: TimelineSelection
  ) {}

  /**
   * Goes to a commit.
   * @returns what a list has to fold that showed the commit that it was at before
   * @throws RequestRefused, Unreachable, the reason of the signal; then it stays where it was
   */
  async moveTo(at: number, signal: AbortSignal): Promise<readonly EventMessage[]> {
    const { from, until } = this.#stretch
    if (at >= from && at <= until) return this.#walk(at)
    const stretch = await this.#read(at, signal)
    signal.throwIfAborted()
    this.#stretch = stretch
    this.#folded = 0
    this.#resources = new Map()
    for (const { Events } of stretch.state) for (const event of Events) this.#put(event)
    return [
      { Index: 0, Events: [], Snapshot: 'restart' },
      ...stretch.state,
      { Index: stretch.from, Events: [], Snapshot: 'end' },
      ...this.#walk(at)
    ]
  }

  #walk(at: number): readonly EventMessage[] {
    const { steps } = this.#stretch
    const messages: EventMessage[] = []
    for (let step = steps[this.#folded]; step && step.index <= at; step = steps[++this.#folded]) {
      const undo = step.events.map(event => this.#put(event) ?? ended(event))
      step.undo = undo.toReversed()
      messages.push({ Index: step.index, Events: step.events })
    }
    for (let step = steps[this.#folded - 1]; step && step.index > at; step = steps[this.#folded - 1]) {
      const { undo = [] } = step
      for (const event of undo) this.#put(event)
      messages.push({ Index: step.index, Events: undo })
      this.#folded--
    }
    return messages
  }

  /** @returns the thing as it was before */
  #put(event: StreamedEvent): StreamedEvent | undefined {
    const identity = identityOf(event)
    const before = this.#resources.get(identity)
    if (isDeletion(event)) this.#resources.delete(identity)
    else this.#resources.set(identity, event)
    return before
  }

  async #read(at: number, signal: AbortSignal): Promise<Stretch> {
    const answer = await this.connection.request('GET', '/v1/event/moment', { query: { at }, signal })
    const { Oldest, Newest } = await answer.json<PointInTime>()
    const from = Math.max(Oldest, at - AROUND)
    const until = Math.min(Newest, at + AROUND)
    try {
      const [state, steps] = await Promise.all([this.#state(from, signal), this.#steps(from, until, signal)])
      const erased = steps.find(isErased)
      // What was erased there is not shown from there on: whoever asks for it is told by the server.
      if (!erased) return { from, until, state, steps }
      if (erased.index > at) {
        const before = steps.slice(0, steps.indexOf(erased))
        return { from, until: erased.index - 1, state, steps: before }
      }
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.status !== GONE) throw error
    }
    return { from: at, until: at, state: await this.#state(at, signal), steps: [] }
  }

  async #state(at: number, signal: AbortSignal): Promise<readonly EventMessage[]> {
    const { topics, namespace, partition, filter } = this.of
    const query = { topic: topics, ns: namespace, partition, filter, at }
    const answer = await this.connection.request('GET', '/v1/event/state', { query, signal })
    return answer.json<readonly EventMessage[]>()
  }

  async #steps(after: number, until: number, signal: AbortSignal): Promise<Step[]> {
    const steps: Step[] = []
    if (after >= until) return steps
    const stream = new EventStream(this.connection, {
      ...this.of,
      after,
      until,
      signal,
      strict: true
    })
    for await (const { Index, Events } of stream)
      if (Events.length > 0) steps.push({ index: Index, events: Events })
    return steps
  }
}
