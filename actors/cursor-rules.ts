// Rules of cursors (spec: log.md §5 row 17).
import type { ConsumerGroup, CursorInput } from '../events/cursor.js'
import { formatDuration, HOUR, SECOND } from '../events/duration.js'
import { HIDDEN } from '../events/values.js'
import { ALL_TENANCIES } from '../projections/stream/required-permissions.js'
import { STREAM_FORMATS } from '../projections/stream/formats/event-format.js'
import { invalidWith } from './refusal.js'
import { isTenancyName } from './tenancy.js'
import { isSecret, SECRET_RULE } from './webhook/signature.js'

const invalidCursor = invalidWith('cursor.invalid', 'Invalid Cursor: ')

const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const [SHORTEST_LEASE, LONGEST_LEASE] = [SECOND, 24 * HOUR]
const MOST_CHARACTERS = 4096
const LONGEST_URL = 2048
export const LONGEST_REASON = 512
const MOST_DELIVERIES = 1000
const ON_PARKED = ['continue', 'block']

/** @throws Refusal `invalid` */
export const checkCursorName = (name: string): void => {
  if (!NAME.test(name))
    throw invalidCursor(
      `Name ${JSON.stringify(name.slice(0, 200))} must be 1 to 128 letters, digits, "_", "." and "-"`
    )
}

export const checkTenancyName = (field: 'Namespace' | 'Partition', name: string): void => {
  if (name !== ALL_TENANCIES && !isTenancyName(name))
    throw invalidCursor(
      `${field} ${JSON.stringify(name.slice(0, 200))} must be * or a DNS label of 1 to 63 letters, digits and hyphens`
    )
}

/** @throws Refusal `invalid` for an index that no reader can have taken */
export const checkCursorIndex = (value: number, head: number): void => {
  if (value < 0) throw invalidCursor(`Index ${value} must not be negative`)
  if (value > head) throw invalidCursor(`Index ${value} is not there: the log ends at commit ${head}`)
}

export const checkCursorContent = (input: CursorInput): void => {
  const { Topics, Types, Filter, Lease, Group, Format, URL } = input
  if (Topics.length === 0) throw invalidCursor('Topics must name what it is of: topics, or * for all of them')
  const characters = [...Topics, ...Types, Filter].reduce((sum, text) => sum + text.length, 0)
  if (characters > MOST_CHARACTERS)
    throw invalidCursor(
      `Topics, Types and Filter have ${characters} characters together, and may have at most ${MOST_CHARACTERS}`
    )
  if (Lease < SHORTEST_LEASE || Lease > LONGEST_LEASE)
    throw invalidCursor(
      `Lease ${formatDuration(Lease)} must be at least ${formatDuration(SHORTEST_LEASE)} and at most ${formatDuration(LONGEST_LEASE)}`
    )
  if (Group) checkGroup(Group, URL)
  if (Format !== '' && !STREAM_FORMATS.includes(Format))
    throw invalidCursor(
      `Format ${JSON.stringify(Format.slice(0, 200))} must be ${STREAM_FORMATS.join(' or ')}`
    )
  if (Format !== '' && URL === '')
    throw invalidCursor('Format must not be given without URL, to which its records are sent')
}

/** @throws Refusal `invalid` */
const checkGroup = ({ VisibilityTimeout, MaxDeliveries, OnParked }: ConsumerGroup, url: string): void => {
  if (url !== '') throw invalidCursor('Group and URL must not be given together')
  if (VisibilityTimeout < SHORTEST_LEASE || VisibilityTimeout > LONGEST_LEASE)
    throw invalidCursor(
      `Group.VisibilityTimeout ${formatDuration(VisibilityTimeout)} must be at least ${formatDuration(SHORTEST_LEASE)} and at most ${formatDuration(LONGEST_LEASE)}`
    )
  if (!ON_PARKED.includes(OnParked))
    throw invalidCursor(
      `Group.OnParked ${JSON.stringify(OnParked.slice(0, 200))} must be ${ON_PARKED.join(' or ')}`
    )
  if (MaxDeliveries < 1 || MaxDeliveries > MOST_DELIVERIES)
    throw invalidCursor(
      `Group.MaxDeliveries ${MaxDeliveries} must be at least 1 and at most ${MOST_DELIVERIES}`
    )
}

/** Returns the new secret of a webhook; undefined without a URL. @throws Refusal `invalid` */
export const webhookSecretOf = (
  { URL, Secret, newSecret }: Pick<CursorInput, 'URL' | 'Secret'> & { readonly newSecret: string },
  before: string | undefined
): string | undefined => {
  // A caller may write back the placeholder that a read returned.
  const value = Secret === HIDDEN ? '' : Secret
  if (URL.length > LONGEST_URL)
    throw invalidCursor(`URL has ${URL.length} characters, and may have at most ${LONGEST_URL}`)
  if (value !== '' && !isSecret(value)) throw invalidCursor(`Secret must ${SECRET_RULE}`)
  if (URL !== '') return value || (before ?? newSecret)
  if (value !== '') throw invalidCursor('Secret must not be given without URL, whose requests it signs')
  return undefined
}
