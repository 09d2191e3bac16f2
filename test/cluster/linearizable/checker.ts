// Decides whether a history of concurrent operations could have happened one operation after another.
//
// This is the search of Wing and Gong with the memory that Lowe added to it, as Porcupine and Knossos do it. Neither of those
// comes by npm or with Debian, so it is implemented here, and compared with a search through all orders (checker.test.ts).

/** The request of one client, and its response. */
export interface Operation<What> {
  /** When it was asked, in ms of a monotonic clock. */
  readonly asked: number
  /** When the response arrived; `Infinity` if the outcome is unknown: it may take effect at any later time, or never. */
  readonly answered: number
  readonly what: What
}

/** What the operations are done to. */
export interface Model<State, What> {
  readonly initial: State
  /** The state after an operation, the same object when nothing was changed; undefined when it could not have been answered as it was. */
  readonly step: (state: State, what: What) => State | undefined
  /** Whether an operation, as it was answered, changes no state at all. */
  readonly changesNothing: (what: What) => boolean
  /** The same text for equal states. */
  readonly textOf: (state: State) => string
}

/**
 * `yes`: there is an order. `no`: there is none; `stuck` are the operations of which none could come next, in the longest order that was
 * found. `undecided`: more steps were taken than allowed.
 */
export type Verdict<What> =
  { readonly kind: 'yes' | 'undecided' } | { readonly kind: 'no'; readonly stuck: readonly Operation<What>[] }

/** The beginning or the end of an operation, in a list by time from which operations are taken. */
interface Entry {
  readonly operation: number
  /** The end of the operation that begins here; undefined for an end. */
  readonly end: Entry | undefined
  readonly at: number
  before: Entry | undefined
  after: Entry | undefined
}

/** A hundred operations of which ten were never answered have taken two million. */
const MOST_STEPS = 20_000_000

/** The list, behind an entry that stands for nothing. An end at the same moment as a beginning comes after it. */
const listOf = (operations: readonly Operation<unknown>[]): Entry => {
  const first: Entry = { operation: -1, end: undefined, at: -Infinity, before: undefined, after: undefined }
  const entries = operations.flatMap(({ asked, answered }, operation): Entry[] => {
    const end: Entry = { operation, end: undefined, at: answered, before: undefined, after: undefined }
    return [{ operation, end, at: asked, before: undefined, after: undefined }, end]
  })
  entries.sort((one, other) => one.at - other.at || (one.end ? 0 : 1) - (other.end ? 0 : 1))
  let last = first
  for (const entry of entries) {
    entry.before = last
    last.after = entry
    last = entry
  }
  return first
}

const take = (entry: Entry): void => {
  if (entry.before) entry.before.after = entry.after
  if (entry.after) entry.after.before = entry.before
}

const putBack = (entry: Entry): void => {
  if (entry.before) entry.before.after = entry
  if (entry.after) entry.after.before = entry
}

/** Looks for an order of the operations in which the model answers as they were answered, and that keeps who came before whom. */
export const linearizable = <State, What>(
  { initial, step, changesNothing, textOf }: Model<State, What>,
  operations: readonly Operation<What>[],
  mostSteps = MOST_STEPS
): Verdict<What> => {
  const first = listOf(operations)
  /** Those in the order, a bit for each. */
  let done = 0n
  let state = initial
  const order: { readonly entry: Entry; readonly state: State; readonly isFree: boolean }[] = []
  const known = new Set<string>()
  let longest = -1
  let stuck: readonly Operation<What>[] = []
  let entry = first.after
  for (let steps = 0; steps < mostSteps; steps++) {
    // Operations with a response are in the order. The others may not have happened.
    if (entry === undefined || entry.at === Infinity) return { kind: 'yes' }
    const { end, operation } = entry
    if (end === undefined) {
      if (order.length > longest) {
        longest = order.length
        stuck = waiting(first, operations)
      }
      let last = order.pop()
      for (; last; last = order.pop()) {
        done &= ~(1n << BigInt(last.entry.operation))
        state = last.state
        if (last.entry.end) putBack(last.entry.end)
        putBack(last.entry)
        if (!last.isFree) break
      }
      if (last === undefined) return { kind: 'no', stuck }
      entry = last.entry.after
      continue
    }
    const what = operations[operation]?.what
    const next: State | undefined = what === undefined ? undefined : step(state, what)
    const reached = done | (1n << BigInt(operation))
    // What never changes anything may come as soon as it could have been answered so: no order needs it later.
    const isFree = what !== undefined && changesNothing(what)
    // An operation with an unknown outcome may be left out if it changes nothing.
    if (next === state && end.at === Infinity) entry = entry.after
    else if (next !== undefined && (isFree || isNew(known, `${reached.toString(36)} ${textOf(next)}`))) {
      order.push({ entry, state, isFree })
      state = next
      done = reached
      take(entry)
      take(end)
      entry = first.after
    } else entry = entry.after
  }
  return { kind: 'undecided' }
}

const isNew = (known: Set<string>, text: string): boolean => {
  const { size } = known
  return known.add(text).size > size
}

/** The operations that had begun before the first of the rest had ended. */
const waiting = <What>(first: Entry, operations: readonly Operation<What>[]): readonly Operation<What>[] => {
  const found: Operation<What>[] = []
  for (let entry = first.after; entry?.end; entry = entry.after) {
    const operation = operations[entry.operation]
    if (operation) found.push(operation)
  }
  return found
}
