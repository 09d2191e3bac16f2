/** A computation that yields where it can be interrupted, about every 100 µs. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Rows of a list, which take about 1 µs each. */
const STEP_ROWS = 64
/** The length of a text that takes as long as a row. */
const ROW_LENGTH = 1024

/** Tells a computation when its next step begins. */
export class StepPace {
  #rows = 0

  /** Counts work that takes as long as this number of rows. */
  add(rows: number): void {
    this.#rows += rows
  }

  /** Counts a row with a text of this length. Returns true if the computation must yield. */
  isOver(length = 0): boolean {
    this.add(1 + length / ROW_LENGTH)
    if (this.#rows < STEP_ROWS) return false
    this.#rows = 0
    return true
  }
}

/** Runs a computation without interruption. */
export const runAtOnce = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
