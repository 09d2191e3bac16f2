// Regular expressions of filters, selectors and templates: RE2, which matches in time proportional to the product of pattern and text. Compilation
// expands repetitions, so that a short pattern may become a large program: its size is bounded before, and the product before each match.
import { recover } from '../../events/errors.js'
import { RE2JS, RE2JSException } from 're2js'

/** In characters and groups after the expansion of repetitions. */
export const MAX_PATTERN_SIZE = 1024

export const MAX_GROUPS = 64

/** Limit of one evaluation: instructions of the compiled pattern times characters. With the costliest known patterns up to 60 ns each, 4 ms in all. */
export const MAX_MATCH_WORK = 65_536

/** The size of a Unicode class: a list of some hundred ranges, created each time. */
const CLASS_SIZE = 64

/** In UTF-16 code units. */
const MAX_PATTERN_LENGTH = 8192

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const REPETITION = /\{(\d+)(?:,(\d*))?\}/y
/** A class in brackets, which may begin with a literal bracket. */
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]/uy
/** A property or code point in braces, an escape, or any other character. */
const ATOM = /\\[pPx]\{[^}]*\}|\\[^]|[^]/uy

const UNICODE_CLASS = /\\[pP]/g

const timesAt = (
  pattern: string,
  at: number
): { readonly times: number; readonly end: number } | undefined => {
  REPETITION.lastIndex = at
  const found = REPETITION.exec(pattern)
  if (!found) return undefined
  return { times: Math.max(Number(found[1]), Number(found[2] || 0)), end: REPETITION.lastIndex }
}

const matchAt = (form: RegExp, pattern: string, at: number): string | undefined => {
  form.lastIndex = at
  return form.exec(pattern)?.[0]
}

/** A class in brackets has the size of its list. */
const sizeOf = (atom: string): number => {
  const classes = atom.match(UNICODE_CLASS)?.length ?? 0
  return Math.max(1, classes * CLASS_SIZE, Math.ceil(atom.length / CLASS_SIZE))
}

/** Estimates the size of a pattern with expanded repetitions. RE2 refuses unclosed classes, so later text is ignored. Cost: the length. */
export const expandedSize = (pattern: string): number => {
  const outer: number[] = []
  let size = 0
  let last = 0
  for (let at = 0; at < pattern.length;) {
    const repetition = pattern[at] === '{' ? timesAt(pattern, at) : undefined
    if (repetition) {
      size += last * Math.max(repetition.times - 1, 0)
      last *= Math.max(repetition.times, 1)
      at = repetition.end
      continue
    }
    const atom = matchAt(pattern[at] === '[' ? CLASS : ATOM, pattern, at)
    if (atom === undefined) break
    at += atom.length
    if (atom === '(') {
      outer.push(size)
      size = 1
    } else if (atom === ')') {
      last = size
      size += outer.pop() ?? 0
    } else {
      last = sizeOf(atom)
      size += last
    }
  }
  return outer.reduce((sum, part) => sum + part, size)
}

/** @throws PatternError */
const checkedSize = (pattern: string): number => {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new PatternError(`the pattern has ${pattern.length} characters, more than ${MAX_PATTERN_LENGTH}`)
  const size = expandedSize(pattern)
  if (size > MAX_PATTERN_SIZE)
    throw new PatternError(`the pattern stands for ${size} characters, more than ${MAX_PATTERN_SIZE}`)
  return size
}

/** @throws PatternError */
const compiled = (pattern: string): RE2JS => {
  const regexp = recover(
    () => RE2JS.compile(pattern),
    RE2JSException,
    ({ message }) => {
      throw new PatternError(message)
    }
  )
  const groups = regexp.groupCount()
  if (groups > MAX_GROUPS) throw new PatternError(`the pattern has ${groups} groups, more than ${MAX_GROUPS}`)
  return regexp
}

export class Pattern {
  readonly #size: number

  constructor(
    private readonly regexp: RE2JS,
    private readonly allowance: PatternAllowance
  ) {
    this.#size = regexp.programSize()
  }

  /** @throws PatternError if the match may take too long */
  isIn(text: string): boolean {
    this.allowance.spend(this.#size, text)
    return this.regexp.matcher(text).find()
  }

  /** The groups of the leftmost match, the entire match first; empty without a match. @throws PatternError */
  groupsIn(text: string): readonly (string | null)[] {
    this.allowance.spend(this.#size, text)
    const matcher = this.regexp.matcher(text)
    if (!matcher.find()) return []
    return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group))
  }
}

/** The limit of all patterns of one expression or template together. */
export class PatternAllowance {
  #size = 0
  #work = 0

  /** @throws PatternError for an invalid pattern, or one that is too large together with earlier ones */
  compile(pattern: string): Pattern {
    const size = this.#size + checkedSize(pattern)
    if (size > MAX_PATTERN_SIZE)
      throw new PatternError(
        `all patterns together stand for ${size} characters, more than ${MAX_PATTERN_SIZE}`
      )
    this.#size = size
    return new Pattern(compiled(pattern), this)
  }

  begin(): void {
    this.#work = 0
  }

  /** Counts a match of a program in a text. @throws PatternError beyond the limit of an evaluation */
  spend(size: number, text: string): void {
    this.#work += size * (text.length + 1)
    if (this.#work > MAX_MATCH_WORK)
      throw new PatternError(
        `the pattern (${size} instructions) is too large for a text of ${text.length} characters: at most ` +
          `${MAX_MATCH_WORK} steps are taken`
      )
  }
}

/** A pattern with an allowance of its own. @throws PatternError */
export const compilePattern = (pattern: string): Pattern => new PatternAllowance().compile(pattern)
