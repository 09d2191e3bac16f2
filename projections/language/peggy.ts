interface Expectation {
  readonly type: 'literal' | 'class' | 'any' | 'end' | 'other' | 'not' | 'and'
  readonly description?: string
  readonly text?: string
}

/** A syntax error. `expected` is null if the grammar itself set the message. */
export interface SyntaxFault extends SyntaxError {
  readonly expected: readonly Expectation[] | null
  readonly found: string | null
  readonly location: {
    readonly start: { readonly offset: number; readonly line: number; readonly column: number }
  }
}

/** Each parser has its own class. */
export type SyntaxFaultClass = new (...args: never) => SyntaxFault

export interface GrammarOptions {
  readonly maxDepth: number
}

/** A part of a longer text. Only grammars of rules have parts. */
export interface TextPart {
  /** Offset of the part in the whole text, from which the offsets in its tree count. */
  readonly offset: number
  /** True if another part follows, so that the end of the part ends no value. */
  readonly isContinued: boolean
}
