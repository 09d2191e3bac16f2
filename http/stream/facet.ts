// Numbers of commits or attempts by a property, the most frequent values first.
import * as Type from 'typebox'

/** The values of a facet that are returned at most. */
const MAX_VALUES = 50

/** @param counted what the numbers count */
export const facetValues = (description: string, counted = 'Commits') =>
  Type.Array(Type.Object({ Value: Type.String(), Count: Type.Integer({ description: counted }) }), {
    description: `${description}: the ${MAX_VALUES} most frequent, and the most frequent first`
  })

/** Numbers of commits or attempts by a property. */
export class Facet<Counted> {
  readonly #counts = new Map<string, number>()

  constructor(private readonly valuesOf: (counted: Counted) => readonly string[]) {}

  add(counted: Counted, count = 1): void {
    for (const value of new Set(this.valuesOf(counted)))
      this.#counts.set(value, (this.#counts.get(value) ?? 0) + count)
  }

  /** The most frequent first. */
  get values(): readonly { readonly Value: string; readonly Count: number }[] {
    return Array.from(this.#counts, ([Value, Count]) => ({ Value, Count }))
      .toSorted((a, b) => b.Count - a.Count || (a.Value < b.Value ? -1 : 1))
      .slice(0, MAX_VALUES)
  }
}
