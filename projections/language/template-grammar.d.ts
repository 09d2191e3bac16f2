import type { GrammarOptions, SyntaxFaultClass } from './peggy.js'
import type { TemplateNode } from './template-values.js'

export const SyntaxError: SyntaxFaultClass

/** Parses a whole text in time proportional to its length. */
export function parse(
  text: string,
  options: GrammarOptions & { readonly functions: ReadonlyMap<string, unknown> }
): TemplateNode
