// Legal holds: commits that neither retention nor an erasure may remove (docs/how-to/legal-hold.md).
import { CLUSTER_TENANCY } from '../events/envelope.js'
import {
  isLegalHoldEvent,
  LEGAL_HOLD_TOPIC,
  legalHoldDefinition,
  type LegalHoldEvent,
  legalHoldEvents,
  type LegalHoldInput
} from '../events/legal-hold.js'
import { formatTime, parseTime } from '../events/time.js'
import type { Views } from '../projections/read-models.js'
import { topicChoiceOf, ALIASES } from '../projections/stream/topic-filter.js'
import { isTopic } from '../projections/stream/topics.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf } from './content.js'
import { lifecycleOf } from './lifecycle.js'
import { type ActorRef, inCluster } from './ref.js'
import { invalidWith, invalid, Refusal } from './refusal.js'
import { isTenancyName } from './tenancy.js'

const invalidHold = invalidWith('hold.invalid', 'Invalid LegalHold: ')

/** The reason of the caller is required, and becomes part of the hold. */
type PlaceHold = Command<'PlaceHold', LegalHoldInput & { readonly name: string }>
type LiftHold = Command<'LiftHold', { readonly name: string }>
type LegalHoldCommand = PlaceHold | LiftHold

export const holdRef = (name: string): ActorRef<typeof LEGAL_HOLD_TOPIC> => inCluster(LEGAL_HOLD_TOPIC, name)

const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const MAX_HOLDS = 1024
const MAX_TOPICS = 64
const MAX_CHARACTERS = 4096

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200))

/** @throws Refusal `invalid` */
export const checkHoldName = (name: string): void => {
  if (!NAME.test(name))
    throw invalidHold(`Name ${quoted(name)} must be 1 to 128 letters, digits, "_", "." and "-"`)
}

/** @throws Refusal `invalid` */
const checkTopics = (topics: readonly string[]): void => {
  if (topics.length > MAX_TOPICS || topics.join('').length > MAX_CHARACTERS)
    throw invalidHold(`Topics must be at most ${MAX_TOPICS}, with ${MAX_CHARACTERS} characters together`)
  const wrong = topics.find(text => {
    const { topic, key } = topicChoiceOf(text)
    return key === '' || !(isTopic(topic) || ALIASES.has(topic))
  })
  if (wrong !== undefined)
    throw invalidHold(`Topics ${quoted(wrong)} must be a topic, Topic:key, or Topic:folder/`)
}

/** Returns a time in the form of commits. @throws Refusal `invalid` */
const timeIn = (text: string, field: 'From' | 'Until'): string => {
  if (text === '') return ''
  const time = parseTime(text)
  if (time === undefined) throw invalidHold(`${field} ${quoted(text)} must be a time of RFC 3339`)
  return formatTime(time)
}

/** @throws Refusal `invalid` */
const tenancyName = (name: string, field: 'Namespace' | 'Partition'): string => {
  const lower = name.toLowerCase()
  if (lower !== '*' && !isTenancyName(lower))
    throw invalidHold(`${field} ${quoted(name)} must be * or a name`)
  return lower
}

/** @throws Refusal `invalid` */
const requiredReason = ({ caller: { reason } }: LegalHoldCommand): string => {
  if (reason === undefined)
    throw invalid(
      'request.reason-required',
      'Bad request: header X-Service-Reason is missing. A legal hold is placed and lifted for a reason'
    )
  return reason
}

const contentOf = contentsOf(legalHoldDefinition)

const place = (command: PlaceHold, { legalHolds }: Views, index: number): readonly LegalHoldEvent[] => {
  const { data } = command
  checkHoldName(data.name)
  const Reason = requiredReason(command)
  checkTopics(data.Topics)
  const [From, Until] = [timeIn(data.From, 'From'), timeIn(data.Until, 'Until')]
  if (From !== '' && Until !== '' && (parseTime(From) ?? 0) > (parseTime(Until) ?? 0))
    throw invalidHold(`Until ${Until} must not be before From ${From}`)
  const before = legalHolds.get(data.name)?.hold
  if (!before && legalHolds.size >= MAX_HOLDS)
    throw new Refusal('hold.too-many', `Too many legal holds: at most ${MAX_HOLDS} can exist`)
  const Namespace = tenancyName(data.Namespace, 'Namespace')
  const Partition = tenancyName(data.Partition, 'Partition')
  const hold = {
    Name: data.name,
    ...contentOf(data, { Namespace, Partition, From, Until }),
    Reason,
    CreateIndex: before?.CreateIndex ?? index,
    ModifyIndex: index
  }
  return [legalHoldEvents.create('LegalHoldPlaced', CLUSTER_TENANCY, hold)]
}

const lift = (command: LiftHold, { legalHolds }: Views): readonly LegalHoldEvent[] => {
  requiredReason(command)
  const row = legalHolds.get(command.data.name)
  if (!row) throw holdNotFound(command.data.name)
  return [legalHoldEvents.create('LegalHoldLifted', CLUSTER_TENANCY, row.hold)]
}

/** The holds that a decision rests on have changed since they were examined. */
export const holdsChanged = (): Refusal =>
  new Refusal('hold.changed', 'A legal hold was placed or lifted meanwhile: repeat the request')

export const holdNotFound = (name: string): Refusal =>
  new Refusal('hold.not-found', `Legal hold "${name}" does not exist`)

export const legalHoldAggregate: Aggregate<LegalHoldCommand> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<LegalHoldEvent>({
    topic: LEGAL_HOLD_TOPIC,
    states: {
      absent: { LegalHoldPlaced: 'held' },
      held: { LegalHoldPlaced: 'held', LegalHoldLifted: 'absent' }
    },
    stateOf: ({ legalHolds }, { key }) => (legalHolds.get(key) ? 'held' : 'absent'),
    // A snapshot neither narrows nor lifts a hold.
    restoredBy: ({ legalHolds }, archived) => {
      const existing = isLegalHoldEvent(archived) ? legalHolds.get(archived.Key)?.hold : undefined
      return existing ? legalHoldEvents.create('LegalHoldPlaced', CLUSTER_TENANCY, existing) : archived
    }
  }),
  removals: ['LiftHold'],
  decide: decideBy({ PlaceHold: place, LiftHold: lift })
}
