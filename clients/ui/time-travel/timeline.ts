// The resources of a list at a commit, with the commits around it, so that small steps need no request.
import type { Connection } from '../../typescript/connection.js'
import { EventStream, type EventMessage } from '../../typescript/events.js'
import { RequestRefused } from '../../typescript/failures.js'
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { identityOf, isDeletion } from '../resources/kind.js'
import type { PointInTime } from './as-of-state.js'

/** Number of commits that are loaded before and after the requested one. */
const AROUND = 100
const GONE = 410

export interface TimelineSelection {
  readonly topics: readonly string[]
  readonly namespace?: string
  readonly partition?: string | undefined
  /** An expression that the server evaluates. */
  readonly filter?: string | undefined
}

/** A commit that changed some of the resources. */
interface Step {
  readonly index: number
  readonly events: readonly StreamedEvent[]
  /** Events that revert the commit, set once it was applied. */
  undo?: readonly StreamedEvent[]
}

interface LoadedRange {
  readonly from: number
  readonly until: number
  /** State at `from`. */
  readonly state: readonly EventMessage[]
  readonly steps: Step[]
}

/** Returns an event that deletes the resource. */
const deletionOf = (event: StreamedEvent): StreamedEvent => ({ ...event, Type: `${event.Topic}Deleted` })

const isErased = ({ events }: Step): boolean => events.some(event => 'Erased' in event)

export class Timeline {
  #resources = new Map<string, StreamedEvent>()
  #range: LoadedRange = { from: 0, until: -1, state: [], steps: [] }
  /** Number of applied steps of the range. */
  #applied = 0

  constructor(
    private readonly connection: Connection,
    private readonly selection: TimelineSelection
  ) {}

  /** Returns the messages from the previous commit to this one. @throws RequestRefused, Unreachable, or the signal's reason, unmoved */
  async moveTo(at: number, signal: AbortSignal): Promise<readonly EventMessage[]> {
    const { from, until } = this.#range
    if (at >= from && at <= until) return this.#step(at)
    const range = await this.#read(at, signal)
    signal.throwIfAborted()
    this.#range = range
    this.#applied = 0
    this.#resources = new Map()
    for (const { Events } of range.state) for (const event of Events) this.#put(event)
    return [
      { Index: 0, Events: [], Snapshot: 'restart' },
      ...range.state,
      { Index: range.from, Events: [], Snapshot: 'end' },
      ...this.#step(at)
    ]
  }

  #step(at: number): readonly EventMessage[] {
    const { steps } = this.#range
    const messages: EventMessage[] = []
    for (let step = steps[this.#applied]; step && step.index <= at; step = steps[++this.#applied]) {
      const undo = step.events.map(event => this.#put(event) ?? deletionOf(event))
      step.undo = undo.toReversed()
      messages.push({ Index: step.index, Events: step.events })
    }
    for (let step = steps[this.#applied - 1]; step && step.index > at; step = steps[this.#applied - 1]) {
      const { undo = [] } = step
      for (const event of undo) this.#put(event)
      messages.push({ Index: step.index, Events: undo })
      this.#applied--
    }
    return messages
  }

  /** @returns the previous version of the resource */
  #put(event: StreamedEvent): StreamedEvent | undefined {
    const identity = identityOf(event)
    const before = this.#resources.get(identity)
    if (isDeletion(event)) this.#resources.delete(identity)
    else this.#resources.set(identity, event)
    return before
  }

  async #read(at: number, signal: AbortSignal): Promise<LoadedRange> {
    const answer = await this.connection.request('GET', '/v1/event/moment', { query: { at }, signal })
    const { Oldest, Newest } = await answer.json<PointInTime>()
    const from = Math.max(Oldest, at - AROUND)
    const until = Math.min(Newest, at + AROUND)
    try {
      const [state, steps] = await Promise.all([this.#state(from, signal), this.#steps(from, until, signal)])
      const erased = steps.find(isErased)
      // The range ends before an erasure, because the server must decide what may be shown from there.
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
    const { topics, namespace, partition, filter } = this.selection
    const query = { topic: topics, ns: namespace, partition, filter, at }
    const answer = await this.connection.request('GET', '/v1/event/state', { query, signal })
    return answer.json<readonly EventMessage[]>()
  }

  async #steps(after: number, until: number, signal: AbortSignal): Promise<Step[]> {
    const steps: Step[] = []
    if (after >= until) return steps
    const stream = new EventStream(this.connection, { ...this.selection, after, until, signal, strict: true })
    for await (const { Index, Events } of stream)
      if (Events.length > 0) steps.push({ index: Index, events: Events })
    return steps
  }
}
