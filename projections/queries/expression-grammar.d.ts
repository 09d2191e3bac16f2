// Types of the parser that peggy makes of expression-grammar.peggy.
import type { Expression } from './expression.js'

interface Position {
  readonly line: number
  readonly column: number
}

/** Thrown for a text that is not of the language. */
export declare class SyntaxError extends Error {
  readonly location: { readonly start: Position }
}

/** @throws SyntaxError */
export declare function parse(text: string, options: { readonly maxDepth: number }): Expression
