// The syntax tree of a rule text, the same for both notations (spec: acl.md §8.4, §8.6). It contains everything that
// printing needs: positions, the raw text of every token, and the comments with their neighbours.

/** Both count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Offsets in UTF-16 code units; `end` is after the last character. `Document.positionOf` gives line and column. */
interface Span {
  readonly start: number
  readonly end: number
}

/** `#`, `//` or block comment; `text` includes its marks, without the line feed. JSON has none. */
export interface Comment extends Span {
  readonly text: string
  readonly gap: Gap
}

/** The range between two tokens, or before the first or after the last one. */
export interface Gap extends Span {
  /** The character after it; empty at the end of the text. */
  readonly next: string
}

/** A name or label: `text` as written, quotes included, `name` without quotes and escapes. */
export interface Key extends Span {
  readonly text: string
  readonly name: string
  readonly quoted: boolean
}

/** In a heredoc, `text` runs from `<<` to the line feed after the closing anchor; `value` is the body with its last line feed. */
interface StringValue extends Span {
  readonly type: 'string' | 'heredoc'
  readonly text: string
  readonly value: string
}

interface NumberValue extends Span {
  readonly type: 'number'
  readonly text: string
  readonly integer: boolean
}

interface WordValue extends Span {
  /** `null` only in JSON. */
  readonly type: 'boolean' | 'null'
  readonly text: string
}

export interface ListValue extends Span {
  readonly type: 'list'
  readonly elements: readonly Value[]
}

export interface ObjectValue extends Span {
  readonly type: 'object'
  readonly items: readonly Item[]
}

export type Value = StringValue | NumberValue | WordValue | ListValue | ObjectValue

/** `key = value` (`assigned`, exactly one key) or `key label … { … }`. A member of a JSON object is `assigned`. */
export interface Item extends Span {
  readonly keys: readonly [Key, ...Key[]]
  readonly assigned: boolean
  readonly value: Value
}

export interface Tree {
  readonly notation: 'hcl' | 'json'
  readonly items: readonly Item[]
  readonly comments: readonly Comment[]
}

export interface Document extends Tree {
  readonly positionOf: (offset: number) => Position
}
