// One event as one line, for people.
import { styleText } from 'node:util'
import type { EventMessage } from '../../typescript/events.js'
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { originText, placeText } from '../origin-text.js'
import { safe } from '../remote/output.js'
import { textOfValue } from '../kv/value-text.js'

/** What a line shows of a value, in characters. */
const MOST = 80

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

const plain: Paint = (_, text) => text
/** Whoever calls it has found that there is a terminal. */
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** Types of what ends a thing. */
const ENDING = /Delete|Deregist|Destroy|Remov|Erase/
/** Types of what makes one, or changes it. */
const styleOf = (type: string): Style => (ENDING.test(type) ? 'red' : 'green')

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** What is most worth telling of a thing. */
const detailOf = ({ Topic, Payload }: StreamedEvent): string => {
  const thing = Object.values(Payload)[0]
  if (!isFields(thing)) return ''
  const { Value, Status, Name } = thing
  const text = Topic === 'KV' ? textOfValue(Value) : (Status ?? Name)
  if (typeof text !== 'string') return ''
  return JSON.stringify(text.length > MOST ? `${text.slice(0, MOST)}…` : text)
}

const eventLine = (event: StreamedEvent, paint: Paint): string => {
  const detail = detailOf(event)
  return [
    paint('dim', String(event.Index)),
    paint(styleOf(event.Type), event.Type),
    safe(placeText(event)),
    ...(detail === '' ? [] : [safe(detail)])
  ].join('  ')
}

const markLine = ({ Index, Snapshot }: EventMessage): string =>
  Snapshot === 'end'
    ? `${Index}  what was true until here is complete`
    : 'it begins again with what is true now'

/** A line for each event of a message, and behind them who has asked for it, where the stream tells; a line for a mark. */
export const messageText = (message: EventMessage, isColoured: boolean): string => {
  const paint = isColoured ? coloured : plain
  if (message.Snapshot !== undefined) return paint('dim', markLine(message))
  const { Meta } = message
  const origin = Meta ? `  ${paint('dim', safe(`${Meta.Time}  ${originText(Meta)}`))}` : ''
  return message.Events.map(event => `${eventLine(event, paint)}${origin}`).join('\n')
}
