// A commit as text: for people, and as a line of JSON.
import { commitText } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'

/** Control characters, with which a text could change what a terminal shows. */
const CONTROL = /\p{Cc}/gu

const safe = (text: string): string =>
  text.replace(CONTROL, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

const place = ({ Partition, Namespace, Key }: Event): string =>
  `${Partition === 'default' ? '' : `${Partition}/`}${Namespace === '' ? '' : `${Namespace}/`}${Key}`

/** Who sent the command. There is no accessor where anyone may ask, as in the bootstrap. */
const asker = ({ AccessorID, Address, Erased }: Commit['By']): string => {
  if (Erased) return 'by someone whose traces were erased'
  if (AccessorID !== '') return `by token ${AccessorID}`
  return Address === '' ? 'by the server' : 'without a token'
}

/** The reason that was given, and the commits that led to this one. */
const whyOf = ({ Reason, Cause }: Commit['By']): string => {
  const reason = Reason === undefined ? '' : `, reason ${JSON.stringify(Reason)}`
  return Cause === undefined ? reason : `${reason}, after ${[Cause].flat().join(' and ')}`
}

/**
 * The first line has index, time, command, caller and why; then one line for each event: type and
 * partition/namespace/key.
 */
export const commitAsText = ({ Index, Time, By, Events }: Commit): string => {
  const where = By.Address === '' ? '' : ` from ${By.Address}`
  const request = By.RequestID === '' ? '' : `, request ${By.RequestID}`
  const head = `${Index}  ${Time}  ${By.Command} ${asker(By)}${where}${request}${whyOf(By)}`
  return (
    safe(head) +
    Events.map(
      event =>
        `\n    ${safe(`${event.Topic} ${event.Type}  ${place(event)}${event.Erased ? '  (erased)' : ''}`)}`
    ).join('')
  )
}

/**
 * A message of the event stream with the commit's time and origin:
 * `{"Index":N,"Time":…,"By":…,"Events":[…]}`. No secrets.
 */
export const commitAsJson = (commit: Commit): string => commitText(commit)
