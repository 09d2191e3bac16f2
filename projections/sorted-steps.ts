import { byText } from './row-table.js'
import { StepPace, type Steps } from './steps.js'

/** Rows that are sorted in one step. */
const RUN_ROWS = 256

type Compare<Row> = (a: Row, b: Row) => number

/** Returns the rows in order, like `toSorted`. The sort is stable. */
export function* sortedInSteps<Row>(rows: readonly Row[], compare: Compare<Row>): Steps<readonly Row[]> {
  let runs: (readonly Row[])[] = []
  for (let at = 0; at < rows.length; at += RUN_ROWS) {
    runs.push(rows.slice(at, at + RUN_ROWS).toSorted(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: (readonly Row[])[] = []
    for (let i = 0; i < runs.length; i += 2)
      merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<Row>(a: readonly Row[], b: readonly Row[], compare: Compare<Row>): Steps<readonly Row[]> {
  if (b.length === 0) return a
  const pace = new StepPace()
  const merged: Row[] = []
  let [i, j] = [0, 0]
  while (merged.length < a.length + b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && (right === undefined || compare(left, right) <= 0)) {
      merged.push(left)
      i++
    } else if (right !== undefined) {
      merged.push(right)
      j++
    }
    if (pace.isOver()) yield
  }
  return merged
}

/** Returns rows in the order of a text. */
export function* sortedByText<Row>(rows: Iterable<Row>, textOf: (row: Row) => string): Steps<readonly Row[]> {
  const pace = new StepPace()
  const keyed: { readonly text: string; readonly row: Row }[] = []
  for (const row of rows) {
    keyed.push({ text: textOf(row), row })
    if (pace.isOver()) yield
  }
  const sorted = yield* sortedInSteps(keyed, (a, b) => byText(a.text, b.text))
  return yield* rowsOf(sorted)
}

/** Returns the rows that a list holds with the values by which it was sorted. */
export function* rowsOf<Row>(sorted: readonly { readonly row: Row }[]): Steps<readonly Row[]> {
  const pace = new StepPace()
  const rows: Row[] = []
  for (const { row } of sorted) {
    rows.push(row)
    if (pace.isOver()) yield
  }
  return rows
}
