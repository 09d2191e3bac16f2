// The formats of an audit besides its own: a line for each event.
import type { Commit, Event } from '../../../events/envelope.js'
import { eventViewOf } from '../event-view.js'
import type { FormattedEvent } from './formatted-event.js'
import { cefLine } from './cef.js'
import { ecsLine } from './ecs.js'
import { ocsfLine } from './ocsf.js'

const LINES = { ocsf: ocsfLine, ecs: ecsLine, cef: cefLine } as const satisfies Readonly<
  Record<string, (audited: FormattedEvent) => string>
>

export type EventFormat = keyof typeof LINES

export const isEventFormat = (text: string): text is EventFormat => Object.hasOwn(LINES, text)

export const EVENT_FORMATS = Object.keys(LINES)

/** Returns a line for each of some events of a commit, and nothing for none. */
export const formattedLines = (
  format: EventFormat,
  { Index: index, Time: time, By: by }: Pick<Commit, 'Index' | 'Time' | 'By'>,
  events: readonly Event[],
  hasPayload: boolean
): string =>
  events
    .map(
      (event, position) =>
        `${LINES[format]({ index, position, time, by, event: hasPayload ? eventViewOf(event) : event, hasPayload })}\n`
    )
    .join('')
