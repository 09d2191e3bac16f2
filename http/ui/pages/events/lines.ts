// Events as the page lists them: in the order of the log, and not more of them than it can hold.
import type { EventMessage } from '../../../../client/events.js'
import type { CommitOrigin, StreamedEvent } from '../../../../client/stream-line.js'
import type { Narrator } from '../../things/words.js'

/** Older events leave the page, which says how many did. */
export const MOST = 20_000

export interface Line {
  readonly event: StreamedEvent
  /** Who made it and when; only for who may read that. */
  readonly origin: CommitOrigin | undefined
  readonly words: string
  readonly id: string
}

export interface Shown {
  /** Oldest first. */
  readonly lines: readonly Line[]
  /** How many have left the page. */
  readonly dropped: number
}

export const linesOf = ({ Events, Meta }: EventMessage, narrator: Narrator): readonly Line[] =>
  Events.map((event, at) => ({
    event,
    origin: Meta,
    words: narrator.tell(event),
    id: `${event.Index}-${at}`
  }))

export const withMore = ({ lines, dropped }: Shown, more: readonly Line[]): Shown => {
  const all = [...lines, ...more]
  const over = Math.max(0, all.length - MOST)
  return { lines: all.slice(over), dropped: dropped + over }
}

/** What people look for; an empty text is anything. */
export interface Wanted {
  readonly text: string
  readonly Topic: string
  readonly Type: string
  readonly Namespace: string
}

export const ANYTHING: Wanted = { text: '', Topic: '', Type: '', Namespace: '' }

/** @param wanted its text in small letters */
export const matches = ({ event, words }: Line, { text, Topic, Type, Namespace }: Wanted): boolean =>
  (Topic === '' || event.Topic === Topic) &&
  (Type === '' || event.Type === Type) &&
  (Namespace === '' || event.Namespace === Namespace) &&
  (text === '' ||
    [event.Topic, event.Type, event.Key, event.Namespace, words].some(each =>
      each.toLowerCase().includes(text)
    ))

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'

/** Who made a commit, as short as a line has room for. */
export const whoOf = (origin: CommitOrigin | undefined): string => {
  if (!origin) return ''
  if (origin.AccessorID === '') return 'the server'
  return origin.AccessorID === ANONYMOUS ? 'anonymous' : origin.AccessorID.slice(0, 8)
}
