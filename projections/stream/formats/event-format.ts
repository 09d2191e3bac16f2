// The formats of other products: a record for each event.
import type { StreamCommit } from '../stored-message.js'
import type { Event } from '../../../events/envelope.js'
import { cefLine } from './cef.js'
import { ecsRecord } from './ecs.js'
import type { FormattedEvent } from './formatted-event.js'
import { ocsfRecord } from './ocsf.js'

/** The formats whose records are JSON. */
const JSON_RECORDS = { ocsf: ocsfRecord, ecs: ecsRecord }
const RECORDS = { ...JSON_RECORDS, cef: cefLine } satisfies Readonly<
  Record<string, (event: FormattedEvent) => string>
>

export type EventFormat = keyof typeof RECORDS

export const isEventFormat = (text: string): text is EventFormat => Object.hasOwn(RECORDS, text)

export const EVENT_FORMATS = Object.keys(RECORDS)
/** The formats of streams and webhooks. */
export const STREAM_FORMATS = Object.keys(JSON_RECORDS)

/** An event as the subscriber sees it, with its position in the commit, which is part of its ID. */
export interface PlacedEvent {
  readonly event: Event
  readonly position: number
}

/** Returns a record for each of some events of a commit. @param hasPayload includes the payloads */
export const recordsOf = (
  format: EventFormat,
  { index, origin }: Pick<StreamCommit, 'index' | 'origin'>,
  { events, hasPayload }: { readonly events: readonly PlacedEvent[]; readonly hasPayload: boolean }
): readonly string[] => {
  const { Time: time, By: by } = origin
  return events.map(({ event, position }) =>
    RECORDS[format]({ index, position, time, by, event, hasPayload })
  )
}
