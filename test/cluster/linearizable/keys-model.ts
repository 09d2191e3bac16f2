// Some keys as clients see them: each has a value that is written once, and may be held by a session.
import type { Model } from './checker.js'

/** A key: its value, and the session that holds it. */
export interface Cell {
  readonly value: string
  readonly holder: string | undefined
}

/** The keys that are there. */
type Cells = ReadonlyMap<string, Cell>

/**
 * A request and its response. `done` is undefined for an unknown outcome. `expected` is the value of the version that a write was to replace,
 * undefined for none at all.
 */
export type Act =
  | { readonly kind: 'read'; readonly key: string; readonly found: Cell | undefined }
  | { readonly kind: 'set'; readonly key: string; readonly value: string }
  | {
      readonly kind: 'cas'
      readonly key: string
      readonly expected: string | undefined
      readonly value: string
      readonly done: boolean | undefined
    }
  | {
      readonly kind: 'acquire' | 'release'
      readonly key: string
      readonly session: string
      readonly value: string
      readonly done: boolean | undefined
    }
  | {
      /** Replaces each of the versions, or nothing at all. */
      readonly kind: 'transaction'
      readonly writes: readonly {
        readonly key: string
        readonly expected: string | undefined
        readonly value: string
      }[]
      readonly done: boolean | undefined
    }

const withCell = (cells: Cells, key: string, cell: Cell): Cells => new Map(cells).set(key, cell)

const isCell = (cells: Cells, key: string, expected: string | undefined): boolean =>
  cells.get(key)?.value === expected

/** Returns the state after an operation that may happen; the same state after a refusal that is correct. */
const either = (
  may: boolean,
  done: boolean | undefined,
  cells: Cells,
  next: () => Cells
): Cells | undefined => {
  if (done === undefined) return may ? next() : cells
  if (done !== may) return undefined
  return may ? next() : cells
}

const step = (cells: Cells, act: Act): Cells | undefined => {
  switch (act.kind) {
    case 'read': {
      const cell = cells.get(act.key)
      return cell?.value === act.found?.value && cell?.holder === act.found?.holder ? cells : undefined
    }
    case 'set':
      return withCell(cells, act.key, { value: act.value, holder: cells.get(act.key)?.holder })
    case 'cas': {
      const { key, expected, value, done } = act
      const holder = cells.get(key)?.holder
      return either(isCell(cells, key, expected), done, cells, () => withCell(cells, key, { value, holder }))
    }
    case 'acquire': {
      const { key, session, value, done } = act
      const holder = cells.get(key)?.holder ?? session
      return either(holder === session, done, cells, () => withCell(cells, key, { value, holder: session }))
    }
    case 'release': {
      const { key, session, value, done } = act
      const isHeld = cells.get(key)?.holder === session
      return either(isHeld, done, cells, () => withCell(cells, key, { value, holder: undefined }))
    }
    case 'transaction': {
      const { writes, done } = act
      const may = writes.every(({ key, expected }) => isCell(cells, key, expected))
      return either(may, done, cells, () =>
        writes.reduce(
          (all, { key, value }) => withCell(all, key, { value, holder: all.get(key)?.holder }),
          cells
        )
      )
    }
  }
}

/** Keys of which none is there at first. */
export const keysModel: Model<Cells, Act> = {
  initial: new Map(),
  step,
  changesNothing: act => act.kind === 'read' || (act.kind !== 'set' && act.done === false),
  textOf: cells =>
    [...cells]
      .map(([key, { value, holder = '' }]) => `${key}=${value}@${holder}`)
      .toSorted()
      .join()
}
