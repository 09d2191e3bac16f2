import { setImmediate } from 'node:timers/promises'
import { beginEpoch } from './epoch.js'

export const CHUNK_MS = 2

/** A computation that yields where it can be interrupted, about every 100 µs. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Rows of a list, which take about 1 µs each. */
const STEP_ROWS = 64
/** The length of a text that takes as long as a row. */
const ROW_LENGTH = 1024

/** Tells a computation when its next step begins. */
export class StepPace {
  #rows = 0

  /** Counts a row with a text of this length. Returns true if the computation must yield. */
  isOver(length = 0): boolean {
    this.#rows += 1 + length / ROW_LENGTH
    if (this.#rows < STEP_ROWS) return false
    this.#rows = 0
    return true
  }
}

/** Runs a computation for one chunk. Returns its result; undefined if it must continue. */
const runChunk = <Result>(steps: Steps<Result>): { readonly result: Result } | undefined => {
  const until = performance.now() + CHUNK_MS
  do {
    const step = steps.next()
    if (step.done) return { result: step.value }
  } while (performance.now() < until)
  return undefined
}

/** Runs a computation without interruption. */
export const runAtOnce = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const runFurther = async <Result>(
  before: Promise<unknown>,
  steps: Steps<Result>,
  proceed: () => void
): Promise<Result> => {
  await before
  for (;;) {
    proceed()
    await setImmediate()
    const finished = runChunk(steps)
    if (finished) return finished.result
  }
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a computation in chunks, between which other requests are handled. Its views of collections keep the state of the first chunk. One
 * computation at a time continues, so that few hold a part of their result.
 * @param proceed called before each further chunk; throws to end the computation
 */
export const runInChunks = <Result>(
  steps: Steps<Result>,
  proceed: () => void = () => {}
): Result | Promise<Result> => {
  const finished = runChunk(steps)
  if (finished) return finished.result
  beginEpoch()
  const further = runFurther(last, steps, proceed)
  last = further.catch(() => {})
  return further
}
