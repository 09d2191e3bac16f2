import { invalid } from '../../../actors/refusal.js'
import { formatDuration, HOUR, MILLISECOND, MINUTE, parseDuration } from '../../../events/duration.js'
import { quoteValue } from '../../stream/parameter-values.js'

const MAX_NS = 720 * HOUR
const DEFAULT_NS = 10 * MINUTE

/** Describes the parameter. */
export const GRACE = `How long the replaced token stays valid: 0s to ${formatDuration(MAX_NS)}; default: ${formatDuration(DEFAULT_NS)}`

/** Returns the grace period of a rotation in ms. @throws Refusal `invalid` */
export const graceOf = (text: string | undefined): number => {
  const grace = text === undefined ? DEFAULT_NS : parseDuration(text)
  if (grace === undefined || grace < 0 || grace > MAX_NS)
    throw invalid(
      'acl.token.invalid',
      `Invalid grace: ${quoteValue(text ?? '')} is not a duration from 0s to ${formatDuration(MAX_NS)}, such as 10m`
    )
  return grace / MILLISECOND
}
