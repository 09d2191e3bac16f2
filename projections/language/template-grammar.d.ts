// Type of the parser that peggy makes from template-grammar.peggy.
import type { TemplateNode } from './template-syntax.js'

/** Thrown by `parse`. */
export class SyntaxError extends globalThis.SyntaxError {
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

/** Parses a whole text in time proportional to its length. */
export function parse(
  text: string,
  options: { readonly maxDepth: number; readonly functions: ReadonlyMap<string, unknown> }
): TemplateNode
