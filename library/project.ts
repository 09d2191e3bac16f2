import { enablePatches, produceWithPatches, type Draft, type Objectish, type Patch } from 'immer'
import type { Commit, Event } from '../events/envelope.js'
import type { EventName, EventNamed } from './events.js'
import type { CommitRange, ReadableLog } from './log.js'

enablePatches()

/** Changes the draft of a state for an event. */
type Handler<State, E> = {
  // A method, so that each handler may take the events of its own name only.
  handle(draft: Draft<State>, event: E, commit: Commit): void
}['handle']

/** Handlers by event; other events change nothing. */
export type Handlers<State> = { readonly [Name in EventName]?: Handler<State, EventNamed<Name>> }

export interface ProjectionOptions<State extends Objectish> {
  readonly initial: State
  readonly on: Handlers<State>
}

/** The state after a commit. */
export interface Step<State> {
  readonly commit: Commit
  /** Frozen. */
  readonly state: State
  /** The changes to the state before; empty for none. */
  readonly patches: readonly Patch[]
  readonly inversePatches: readonly Patch[]
}

/** The states after each commit that changed the state. */
export class Timeline<State> {
  constructor(
    private readonly initial: State,
    /** In the order of the commits. */
    readonly steps: readonly Step<State>[]
  ) {}

  /** The state after the last commit. */
  get latest(): State {
    return this.steps.at(-1)?.state ?? this.initial
  }

  /** Returns the state after the commit of an index. */
  at(index: number): State {
    return this.steps.findLast(({ commit }) => commit.Index <= index)?.state ?? this.initial
  }
}

export interface CustomProjection<State> {
  readonly initial: State
  /** Yields the step of each commit, with only one state in memory. */
  steps(log: ReadableLog, range?: CommitRange): AsyncGenerator<Step<State>, void, undefined>
  /** Returns all steps that changed the state. */
  timeline(log: ReadableLog, range?: CommitRange): Promise<Timeline<State>>
  /** Returns the last state. */
  latest(log: ReadableLog, range?: CommitRange): Promise<State>
  /** Applies one commit, from any source. */
  fold(state: State, commit: Commit): Step<State>
}

/** Creates a projection with handlers by `Topic.Type`. A handler changes the draft in place. Unchanged parts are shared between the states. */
export const project = <State extends Objectish>({
  initial,
  on
}: ProjectionOptions<State>): CustomProjection<State> => {
  const handlers: Readonly<Record<string, Handler<State, Event>>> = on
  const fold = (state: State, commit: Commit): Step<State> => {
    const [next, patches, inversePatches] = produceWithPatches(state, draft => {
      for (const event of commit.Events) handlers[`${event.Topic}.${event.Type}`]?.(draft, event, commit)
    })
    return { commit, state: next, patches, inversePatches }
  }
  async function* steps(log: ReadableLog, range?: CommitRange): AsyncGenerator<Step<State>, void, undefined> {
    let state = initial
    for await (const commit of log.commits(range)) {
      const step = fold(state, commit)
      state = step.state
      yield step
    }
  }
  return {
    initial,
    steps,
    fold,
    timeline: async (log, range) => {
      const changed: Step<State>[] = []
      for await (const step of steps(log, range)) if (step.patches.length > 0) changed.push(step)
      return new Timeline(initial, changed)
    },
    latest: async (log, range) => {
      let state = initial
      for await (const step of steps(log, range)) state = step.state
      return state
    }
  }
}
