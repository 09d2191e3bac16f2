import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import { beginEpoch } from '../../projections/epoch.js'
import type { Steps } from '../../projections/steps.js'

export const CHUNK_MS = 2

/** Runs a computation for one chunk. Returns its result; undefined if it must continue. */
const runChunk = <Result>(steps: Steps<Result>): { readonly result: Result } | undefined => {
  const until = performance.now() + CHUNK_MS
  do {
    const step = steps.next()
    if (step.done) return { result: step.value }
  } while (performance.now() < until)
  return undefined
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

/** The computations of one server that take several chunks. */
@scoped(Lifecycle.ContainerScoped)
export class Chunks {
  #last: Promise<unknown> = Promise.resolve()

  /**
   * Runs a computation in chunks, between which other requests are handled. Its views of collections keep the state of the first chunk. One
   * computation at a time continues, so that few hold a part of their result.
   * @param proceed called before each further chunk; throws to end the computation
   */
  run<Result>(steps: Steps<Result>, proceed: () => void = () => {}): Result | Promise<Result> {
    const first = steps.next()
    if (first.done) return first.value
    const finished = runChunk(steps)
    if (finished) return finished.result
    beginEpoch()
    const further = runFurther(this.#last, steps, proceed)
    this.#last = further.catch(() => {})
    return further
  }
}

/** Runs a long computation in chunks, as `Chunks.run`, but other computations do not wait for it. */
export const runBeside = async <Result>(
  steps: Steps<Result>,
  proceed: () => void = () => {}
): Promise<Result> => {
  beginEpoch()
  for (;;) {
    const finished = runChunk(steps)
    if (finished) return finished.result
    await setImmediate()
    proceed()
  }
}
