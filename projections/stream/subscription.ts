import type { Tenancy, Event } from '../../events/envelope.js'
import {
  type Audit,
  auditLine,
  isAudited,
  type StreamCommit,
  type BufferAllocator
} from './stored-message.js'
import { type EventFormat, recordsOf, type PlacedEvent } from './formats/event-format.js'
import { EventFilter } from './event-filter.js'
import { permissionOn, type RequiredPermission, ALL_TENANCIES } from './required-permissions.js'
import { TopicFilter, type TopicChoice } from './topic-filter.js'
import { permissionsFor, type EventAccess, isTopic, canSeeTopic, visibleEvent } from './topics.js'
import type { EventKind } from '../../events/stored.js'
import type { Authorizer } from '../acl/authorizer.js'
import { MAX_MATCH_WORK } from '../language/pattern.js'

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

// Selects the events of a commit by a subscription and an authorizer.

export interface WorkEstimate {
  readonly size: number
  readonly headSize: number
}

/** Limit of steps at once in the thread that serves all streams; they take some ms at most. */
const MAX_STEPS = 2 * MAX_MATCH_WORK
/** Characters of events that are formatted at once, in some ms. */
const MAX_FORMATTED = 256 * 1024
const NONE: ReadonlySet<string> = new Set()

export class Selector {
  #unconditional: { readonly kinds: readonly EventKind[]; readonly topics: ReadonlySet<string> } | undefined

  constructor(
    readonly subscription: Subscription,
    readonly authorizer: Authorizer
  ) {}

  /** The work of the expression and the format for a commit, relative to the limit. */
  costOf(message: WorkEstimate): number {
    const { expression, format } = this.subscription
    const formatting = format ? message.size / MAX_FORMATTED : 0
    if (!expression || expression.weight === 0) return formatting
    const characters = expression.looksIntoPayload ? message.size : message.headSize
    return formatting + (expression.weight * characters) / MAX_STEPS
  }

  /**
   * The framed commit as the subscriber may see it; undefined if it selects no event.
   * @param allocate see `StreamCommit.part`
   * @param unconditional see `unconditionalTopics`; the events must be of those kinds
   * @throws FilterTooExpensive
   */
  frame(
    line: StreamCommit,
    allocate?: BufferAllocator,
    unconditional: ReadonlySet<string> = NONE
  ): Buffer | undefined {
    const { framing, meta, format, audit } = this.subscription
    if (audit && !isAudited(audit, line)) return undefined
    if (format) {
      const records = this.#records(line, format, unconditional)
      return records && framing.message(records, line.index)
    }
    const selected = this.select(line, unconditional)
    const bytes = audit
      ? auditLine(audit, line, selected)
      : line.part(selected, meta ? 'meta' : 'plain', allocate)
    return bytes && framing.message(bytes, line.index)
  }

  /** Returns the selected events of a commit as lines of an audit, or as a message of a stream; undefined for none. */
  #records(line: StreamCommit, format: EventFormat, unconditional: ReadonlySet<string>): Buffer | undefined {
    const events = line.events.flatMap((event, position): readonly PlacedEvent[] => {
      const seen = unconditional.has(event.Topic) ? event : this.#select(event, line.index)
      return seen ? [{ event: seen, position }] : []
    })
    if (events.length === 0) return undefined
    const { audit } = this.subscription
    const records = recordsOf(format, line, { events, hasPayload: audit?.payload ?? true })
    return Buffer.from(
      audit ? `${records.join('\n')}\n` : `{"Index":${line.index},"Events":[${records.join(',')}]}\n`
    )
  }

  /** Returns the selected events of a commit, as the subscriber may see them. @throws FilterTooExpensive */
  select({ events, index }: StreamCommit, unconditional: ReadonlySet<string> = NONE): readonly Event[] {
    const selected: Event[] = []
    for (const event of events) {
      const seen = unconditional.has(event.Topic) ? event : this.#select(event, index)
      if (seen) selected.push(seen)
    }
    return selected
  }

  /** Counts the events without permission, if the audit asks for it; otherwise 0. */
  withheldIn({ events }: StreamCommit, unconditional: ReadonlySet<string> = NONE): number {
    const { audit, filter, sees } = this.subscription
    if (!audit?.countsWithheld) return 0
    return events.filter(
      event =>
        !unconditional.has(event.Topic) &&
        isTopic(event.Topic) &&
        filter.matches(event) &&
        !visibleEvent(this.authorizer, event, sees)
    ).length
  }

  /** The topics of which every event is selected, without a look at it. */
  unconditionalTopics(kinds: readonly EventKind[]): ReadonlySet<string> {
    if (this.#unconditional?.kinds !== kinds) {
      const open = new Set(kinds.filter(kind => !this.#selectsAll(kind)).map(({ Topic }) => Topic))
      const topics = kinds.map(({ Topic }) => Topic).filter(topic => !open.has(topic))
      this.#unconditional = { kinds, topics: new Set(topics) }
    }
    return this.#unconditional.topics
  }

  #selectsAll(kind: EventKind): boolean {
    const { filter, expression, sees } = this.subscription
    return (
      this.#isOfTenancy(kind) &&
      filter.matchesAll(kind) &&
      canSeeTopic(this.authorizer, kind, sees) &&
      expression === undefined
    )
  }

  #isOfTenancy({ Namespace, Partition }: EventKind): boolean {
    const { partition, namespace } = this.subscription.tenancy
    return (
      (Namespace === '' || namespace === ALL_TENANCIES || Namespace === namespace) &&
      (partition === ALL_TENANCIES || Partition === partition)
    )
  }

  /** The event as the caller sees it; undefined if it is not selected. Fields that the caller may not read select nothing. */
  #select(event: Event, index: number): Event | undefined {
    const { filter, expression, sees } = this.subscription
    if (!this.#isOfTenancy(event) || !filter.matches(event)) return undefined
    const seen = visibleEvent(this.authorizer, event, sees)
    if (!seen || (seen !== event && !filter.matches(seen))) return undefined
    return expression === undefined || expression.passes(seen, index) ? seen : undefined
  }
}
