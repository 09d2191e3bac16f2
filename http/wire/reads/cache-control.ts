// The Cache-Control header of a read (spec: state.md §12).
import { invalid } from '../../../actors/refusal.js'

/** The client's limits on the age of a response. Ages in seconds. */
export interface CacheDirectives {
  readonly maxAge: number | undefined
  readonly mustRevalidate: boolean
  /** Maximum age of a response that replaces an error. */
  readonly staleIfError: number | undefined
}

const NONE: CacheDirectives = { maxAge: undefined, mustRevalidate: false, staleIfError: undefined }
const INTEGER = /^[+-]?\d{1,18}$/

/**
 * Parses directives in any letter case, separated by commas. Unknown ones are ignored.
 * @throws Refusal `invalid` when `max-age` or `stale-if-error` is not an integer
 */
export const cacheDirectives = (header: string | undefined): CacheDirectives => {
  if (!header) return NONE
  let { maxAge, mustRevalidate, staleIfError } = NONE
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', value = ''] = part.trim().split('=', 2)
    switch (name) {
      case 'must-revalidate':
        mustRevalidate = true
        break
      case 'max-age':
        maxAge = seconds(name, value)
        break
      case 'stale-if-error':
        staleIfError = seconds(name, value)
        break
    }
  }
  return { maxAge, mustRevalidate, staleIfError }
}

const seconds = (name: string, value: string): number => {
  if (!INTEGER.test(value))
    throw invalid(`Invalid Cache-Control header. ${name} must be an integer of seconds, not '${value}'`)
  return Number(value)
}
