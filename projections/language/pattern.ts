// Regular expressions of filters, selectors and templates: RE2, which matches in time proportional to the text. Compiling
// writes repetitions out, so that a short pattern may become a large program: its size is bounded before.
import { RE2JS, RE2JSException } from 're2js'

/** Largest pattern, in characters and groups once its repetitions are written out. */
export const MAX_PATTERN_SIZE = 4096

/** Longest pattern as it is written, in UTF-16 code units. */
export const MAX_PATTERN_LENGTH = 8192

/** A pattern was refused. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const REPETITION = /\{(\d+)(?:,(\d*))?\}/y
/** A class in brackets, of which the first thing may be a literal bracket. */
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]/uy
/** A property or code point in braces, an escape, or any character. */
const ATOM = /\\[pPx]\{[^}]*\}|\\[^]|[^]/uy

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

/**
 * The size of a pattern with its repetitions written out; an estimate. What stands behind a class without end does not
 * count, since RE2 refuses it. Cost: the length of the pattern.
 */
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
      last = 1
      size++
    }
  }
  return outer.reduce((sum, part) => sum + part, size)
}

/** @throws PatternError for what is no pattern of RE2, or too large a one */
export const compilePattern = (pattern: string): RE2JS => {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new PatternError(`the pattern has ${pattern.length} characters, more than ${MAX_PATTERN_LENGTH}`)
  const size = expandedSize(pattern)
  if (size > MAX_PATTERN_SIZE)
    throw new PatternError(`the pattern stands for ${size} characters, more than ${MAX_PATTERN_SIZE}`)
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(error.message)
    throw error
  }
}
