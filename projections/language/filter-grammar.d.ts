// Type of the parser that peggy makes from filter-grammar.peggy.
import type { Expression } from './filter-syntax.js'

/** Thrown by `parse`. */
export class SyntaxError extends globalThis.SyntaxError {
  readonly location: {
    readonly start: { readonly offset: number; readonly line: number; readonly column: number }
  }
}

/** Parses a whole text in time proportional to its length. */
export function parse(text: string, options: { readonly maxDepth: number }): Expression
