// The formats of an audit besides its own: a line for each event.
import type { Commit, Event } from '../../../events/envelope.js'
import { eventViewOf } from '../event-view.js'
import type { AuditedEvent } from './audited-event.js'
import { cefLine } from './cef.js'
import { ecsLine } from './ecs.js'
import { ocsfLine } from './ocsf.js'

const LINES = { ocsf: ocsfLine, ecs: ecsLine, cef: cefLine } as const satisfies Readonly<
  Record<string, (audited: AuditedEvent) => string>
>

export type AuditFormat = keyof typeof LINES

export const isAuditFormat = (text: string): text is AuditFormat => Object.hasOwn(LINES, text)

export const AUDIT_FORMATS = Object.keys(LINES)

/** Returns a line for each of some events of a commit, and nothing for none. */
export const formattedLines = (
  format: AuditFormat,
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
