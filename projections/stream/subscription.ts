import type { Tenancy } from '../../events/envelope.js'
import type { Audit } from './stored-message.js'
import type { EventFormat } from './formats/event-format.js'
import { EventFilter } from './event-filter.js'
import { permissionOn, type RequiredPermission } from './required-permissions.js'
import { TopicFilter, type TopicChoice } from './topic-filter.js'
import { permissionsFor, type EventAccess } from './topics.js'

export interface Subscription {
  readonly filter: TopicFilter
  /** `*` as partition or namespace means all, including later ones. */
  readonly tenancy: Tenancy
  readonly framing: Framing
  readonly expression?: EventFilter | undefined
  /** The authorization of events: `whole` also requires permission for every topic. */
  readonly sees: EventAccess
  /** Includes the caller and time of each commit. */
  readonly meta: boolean
  /** Events as records of another product, with the caller and time of their commit. */
  readonly format?: EventFormat | undefined
  /** Undefined for a stream. */
  readonly audit?: Audit | undefined
}

export interface SubscriptionMessage extends Pick<
  Subscription,
  'tenancy' | 'sees' | 'meta' | 'format' | 'audit'
> {
  readonly choices: readonly TopicChoice[]
  readonly types: readonly string[]
  readonly framing: FramingName
  readonly expression: string | undefined
}

export const requiredPermissionsOf = (subscription: Subscription): readonly RequiredPermission[] => {
  const { filter, sees, meta, format, audit } = subscription
  const ofTopics = sees === 'whole' ? permissionsFor(filter) : []
  return meta || format || audit ? [...ofTopics, permissionOn('operator', 'read')] : ofTopics
}

/** Equal for subscriptions that can share a selection under one authorizer. */
export const subscriptionId = (subscription: Subscription): string => {
  const { filter, tenancy, framing, expression, sees, meta, format, audit } = subscription
  const { partition, namespace } = tenancy
  const selected = [partition, namespace, filter.id, expression?.text ?? '', sees]
  return JSON.stringify([framing.name, ...selected, meta, format, audit])
}

export const toMessage = (subscription: Subscription): SubscriptionMessage => {
  const { filter, tenancy, framing, expression, sees, meta, format, audit } = subscription
  const { partition, namespace } = tenancy
  const { choices, types } = filter
  const names = { framing: framing.name, expression: expression?.text }
  return { choices, types, tenancy: { partition, namespace }, ...names, sees, meta, format, audit }
}

export const fromMessage = (message: SubscriptionMessage): Subscription => {
  const { choices, types, framing, expression: text, ...rest } = message
  const expression = text === undefined ? undefined : new EventFilter(text)
  return { ...rest, filter: new TopicFilter(choices, types), framing: FRAMINGS[framing], expression }
}

// The framing of lines on the wire: newline-delimited JSON, or server-sent events.

type FramingName = 'ndjson' | 'sse'

export interface Framing {
  readonly name: FramingName
  /** The terminator of every line, which occurs nowhere else. */
  readonly end: string
  /** Frames a message, or another line that confirms an index. */
  readonly message: (line: Buffer, index: number) => Buffer
  /** Frames a line that is no position to resume at. */
  readonly control: (line: Buffer) => Buffer
}

export const newlineDelimited: Framing = {
  name: 'ndjson',
  end: '\n',
  message: line => line,
  control: line => line
}

const DATA = Buffer.from('data: ')
const NEWLINE = Buffer.from('\n')

/** The index is the event's id, which browsers send back as `Last-Event-ID`. */
export const serverSentEvents: Framing = {
  name: 'sse',
  end: '\n\n',
  message: (line, index) => Buffer.concat([Buffer.from(`id: ${index}\ndata: `), line, NEWLINE]),
  control: line => Buffer.concat([DATA, line, NEWLINE])
}

const FRAMINGS = { ndjson: newlineDelimited, sse: serverSentEvents }
