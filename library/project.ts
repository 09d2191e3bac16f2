// A fold of one's own over a log: each commit gives a state that never changes, and shares what it can with the one before.
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

/** What to do with which event; others change nothing. */
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
  /** What the commit changed in the state before, and what takes that back; empty for nothing. */
  readonly patches: readonly Patch[]
  readonly inversePatches: readonly Patch[]
}

/** The states of a log that changed, to be stepped through back and forth. */
export class Timeline<State> {
  constructor(
    private readonly initial: State /** Those of the commits that changed the state, in order. */,
    readonly steps: readonly Step<State>[]
  ) {}

  /** The state after the last commit. */
  get latest(): State {
    return this.steps.at(-1)?.state ?? this.initial
  }

  /** The state as it was after the commit of an index. */
  at(index: number): State {
    return this.steps.findLast(({ commit }) => commit.Index <= index)?.state ?? this.initial
  }
}

export interface CustomProjection<State> {
  /** The step of each commit, one at a time: memory holds one state. */
  steps(log: ReadableLog, range?: CommitRange): AsyncGenerator<Step<State>, void, undefined>
  /** All steps that changed something, kept. */
  timeline(log: ReadableLog, range?: CommitRange): Promise<Timeline<State>>
  /** The last state alone. */
  latest(log: ReadableLog, range?: CommitRange): Promise<State>
  /** One step, for commits from elsewhere. */
  fold(state: State, commit: Commit): Step<State>
}

/**
 * A projection with handlers by `Topic.Type`. A handler changes the draft in place; what it leaves alone is shared between the
 * states.
 */
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
