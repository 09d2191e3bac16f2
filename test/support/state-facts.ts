// The content of the read models, for comparisons.
import type { Views } from '../../projections/read-models.js'

/** Returns the facts of all read models, without records of deleted resources. */
export const factsOf = (views: Views): unknown[] =>
  [...views.saved().parts()].flatMap(([name, rows]) => (name.includes('.') ? [] : [...rows]))
