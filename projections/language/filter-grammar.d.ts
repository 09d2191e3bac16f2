import type { Expression } from './filter-syntax.js'
import type { GrammarOptions, SyntaxFaultClass } from './peggy.js'

export const SyntaxError: SyntaxFaultClass

/** Parses a whole text in time proportional to its length. */
export function parse(text: string, options: GrammarOptions): Expression
