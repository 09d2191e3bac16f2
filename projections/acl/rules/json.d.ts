// Type of the parser that peggy makes from json.peggy.
import type { Tree } from './tree.js'

export interface Expectation {
  readonly type: 'literal' | 'class' | 'any' | 'end' | 'other' | 'not' | 'and'
  readonly description?: string
  readonly text?: string
}

/** Thrown by `parse`. `expected` is null when the grammar itself gave the message. */
export class SyntaxError extends globalThis.SyntaxError {
  readonly expected: readonly Expectation[] | null
  readonly found: string | null
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

/** Parses a whole text in time proportional to its length. */
export function parse(text: string, options: { readonly maxDepth: number }): Tree
