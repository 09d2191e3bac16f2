// What the read models hold, for comparisons.
import type { Views } from '../../projections/read-models.js'

/** The facts of all read models: everything there is, without what is remembered of things that are gone. */
export const factsOf = (views: Views): unknown[] =>
  [...views.saved().parts()].flatMap(([name, rows]) => (name.includes('.') ? [] : [...rows]))
