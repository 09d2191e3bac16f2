// What the parsers that peggy makes from our grammars have in common.

/** What a parser could have gone on with. */
interface Expectation {
  readonly type: 'literal' | 'class' | 'any' | 'end' | 'other' | 'not' | 'and'
  readonly description?: string
  readonly text?: string
}

/** Why a text could not be parsed. `expected` is null when the grammar itself gave the message. */
export interface SyntaxFault extends SyntaxError {
  readonly expected: readonly Expectation[] | null
  readonly found: string | null
  readonly location: {
    readonly start: { readonly offset: number; readonly line: number; readonly column: number }
  }
}

/** The class of a parser's faults, each parser having its own. */
export type SyntaxFaultClass = new (...args: never) => SyntaxFault

/** What every grammar of ours is told: how deep a text may nest. */
export interface GrammarOptions {
  readonly maxDepth: number
}
