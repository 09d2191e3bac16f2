import type { GrammarOptions, SyntaxFaultClass, TextPart } from '../../language/peggy.js'
import type { Tree } from './tree.js'

export const SyntaxError: SyntaxFaultClass

/** Parses a whole text in time proportional to its length. */
export function parse(text: string, options: GrammarOptions & Partial<TextPart>): Tree
