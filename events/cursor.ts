import { SECOND } from './duration.js'
import { type Event, resourceEvents, type EventOf } from './envelope.js'
import {
  indexes,
  optionalWritable,
  computedField,
  writable,
  generated,
  optionallyGenerated,
  defineResource,
  presenceTracked,
  choiceType,
  durationType,
  integerType,
  listType,
  objectType,
  optionalType,
  secretType,
  textType,
  textListType,
  timeType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

/** Nanoseconds. */
const DEFAULT_LEASE = 30 * SECOND

/** A batch that a webhook's receiver did not accept. */
const deadLetterFields = {
  From: generated(integerType, 'Index of the first commit that was passed over'),
  To: generated(integerType, 'Index of the last commit that was passed over'),
  Reason: generated(textType, 'Why the last attempt failed'),
  At: generated(timeType, 'When, RFC 3339')
}
const deadLetter = objectType(deadLetterFields, 'DeadLetter')

/** The boundaries of one request of a webhook. They are stored before its first attempt, so that a retry by any server has the same body. */
const batch = objectType(
  {
    From: generated(integerType, 'Index of the first commit of the range'),
    To: generated(integerType, 'Index of the last commit of the range')
  },
  'WebhookBatch'
)

/** The current state of a webhook's delivery, which is not stored. */
const delivery = objectType(
  {
    State: generated(
      textType,
      'delivering, waiting for the next attempt, or stopped until the cause in LastError is removed'
    ),
    Attempts: generated(integerType, 'Attempts of the present request that have failed'),
    NextAttemptAt: optionallyGenerated(timeType, 'When the next attempt follows, RFC 3339'),
    LastError: optionallyGenerated(textType, 'Why the last attempt that failed did, or why nothing is sent'),
    LastErrorAt: optionallyGenerated(timeType, 'When that was, RFC 3339'),
    LastDeliveredAt: optionallyGenerated(timeType, 'When the receiver last took messages, RFC 3339')
  },
  'WebhookDelivery'
)

/** Members of a group share a cursor: each unit is delivered to one of them. */
const consumerGroup = objectType(
  {
    VisibilityTimeout: writable(
      durationType,
      'A member that neither acknowledges nor rejects a unit for so long loses it: 1s to 24h',
      { otherwise: DEFAULT_LEASE }
    ),
    MaxDeliveries: writable(
      integerType,
      'A unit that was delivered so often without acknowledgement is parked: 1 to 1000',
      { otherwise: 5 }
    ),
    OnParked: writable(
      textType,
      'continue: later units of the key of a parked unit are delivered; block: they wait until it is replayed or dropped',
      { otherwise: 'continue' }
    )
  },
  'ConsumerGroup'
)

/** The events of one key in one commit. Absent units after the position are waiting for their first delivery. */
const groupUnit = objectType(
  {
    Index: generated(integerType, 'Index of the commit'),
    Unit: generated(textType, 'Identifies the resource: a hash of its topic, partition, namespace and key'),
    State: generated(choiceType('acknowledged', 'waiting', 'parked'), 'acknowledged, waiting or parked'),
    Deliveries: generated(integerType, 'How often it was delivered'),
    NotBefore: optionallyGenerated(timeType, 'When it is delivered again, RFC 3339'),
    Reason: optionallyGenerated(textType, 'Why a member rejected it last'),
    Failure: optionallyGenerated(
      choiceType('rejected', 'timeout'),
      'How the last delivery failed: rejected by its member, or without an answer in time'
    )
  },
  'GroupUnit'
)

/** Cursors belong to the whole cluster. Partition and namespace only select events. */
export const cursorDefinition = defineResource({
  name: 'Cursor',
  example: {
    given: { Topics: ['KV:load/'], Namespace: 'default', Partition: 'default', Lease: '30s' },
    made: {
      Name: 'loader',
      Index: 41,
      Owner: '6a1253d2-1785-24fd-91c2-f8e78c745511',
      MovedAt: '2026-01-02T03:04:05Z',
      LagCommits: 0,
      LagSeconds: 0,
      CreateIndex: 12,
      ModifyIndex: 42
    }
  },
  fields: {
    Name: generated(textType, 'Letters, digits, _, . and -, at most 128; the path says it'),
    Topics: writable(textListType, 'Topics as the stream takes them, Topic or Topic:key; * for all'),
    Types: optionalWritable(textListType, 'Types of events; none: all of them'),
    Filter: optionalWritable(textType, 'Filter expression over the events'),
    Namespace: writable(textType, 'Namespace of the events, * for all', { otherwise: 'default' }),
    Partition: writable(textType, 'Admin partition of the events, * for all', { otherwise: 'default' }),
    Index: presenceTracked(
      integerType,
      'Index of the last commit that its reader has taken: the next one comes first. A new cursor begins with what happens from now on; one that is there stays where it is'
    ),
    Owner: generated(textType, 'Accessor of the token that made it; set by the service'),
    Lease: writable(
      durationType,
      'A reader that takes nothing for so long loses the cursor to one that waits for it: 1s to 24h',
      { otherwise: DEFAULT_LEASE }
    ),
    MovedAt: generated(timeType, 'When it was last moved, or made, RFC 3339; set by the service'),
    ClampedFrom: optionallyGenerated(
      integerType,
      'Where it stood before a restored snapshot, whose log was longer, had it set back to the end of this log; until it is moved'
    ),
    URL: optionalWritable(
      textType,
      'Where its events are sent, as POST requests signed as Standard Webhooks has it; http or https, and allowed by outgoing.allow'
    ),
    Secret: optionalWritable(
      secretType,
      'Signs what is sent to URL: whsec_ and 24 to 64 bytes in Base64. Kept when not given, made when there is none yet; shown once, when it is made, else <hidden>',
      { filterable: false }
    ),
    Format: optionalWritable(
      textType,
      'Format of the events that are sent to URL: ocsf (1.7.0) or ecs (8.17.0); none: that of the stream'
    ),
    Group: optionalWritable(
      optionalType(consumerGroup),
      'Shares the cursor between the members of a consumer group, which receive, acknowledge and reject units'
    ),
    Units: optionallyGenerated(
      listType(groupUnit),
      'Units of the group after Index that are acknowledged or were delivered before, and those that are parked'
    ),
    DeadLetters: optionallyGenerated(
      integerType,
      'How often a request to URL was given up, and its messages passed over'
    ),
    LastDeadLetter: optionallyGenerated(deadLetter, 'The last of them'),
    Undelivered: optionallyGenerated(
      listType(objectType(deadLetterFields)),
      'The newest of them that were not delivered since, at most 100'
    ),
    Batch: optionallyGenerated(
      batch,
      'The range of commits of the request that URL was sent last; until it is taken'
    ),
    Disabled: optionallyGenerated(
      textType,
      'Why nothing is sent to URL any more; until the cursor is put again'
    ),
    Delivery: computedField(delivery, 'What its webhook does now'),
    LagCommits: computedField(
      integerType,
      'Commits that its reader has not taken yet; the newest are not counted where they do nothing but move cursors'
    ),
    LagSeconds: computedField(
      integerType,
      'Age of the first commit that its reader has not taken yet, in whole seconds'
    ),
    ...indexes
  }
})

export type Cursor = Stored<typeof cursorDefinition.fields>
export type CursorInput = Input<typeof cursorDefinition.fields>
export type ConsumerGroup = Stored<typeof consumerGroup.fields>
export type GroupUnit = Stored<typeof groupUnit.fields>

export const CURSOR_TOPIC = 'Cursor'
/**
 * `CursorUpserted`: a new or reconfigured cursor. `CursorSkipped`: the server gave up on a batch and continues after it.
 */
export const cursorEvents = resourceEvents({
  topic: CURSOR_TOPIC,
  types: ['CursorUpserted', 'CursorMoved', 'CursorSkipped', 'CursorDeleted'],
  payloadOf: (cursor: Cursor) => ({ Cursor: cursor }),
  keyOf: payload => payload.Cursor.Name
})
export type CursorEvent = EventOf<typeof cursorEvents>
export const isCursorEvent = cursorEvents.is

export const isCursorMoved = (event: Event): boolean => isCursorEvent(event) && event.Type === 'CursorMoved'
