// A commit as text: for people, and as a line of JSON.
import { commitText } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'

/** Control characters, which could make a terminal show something else than what is there. */
const CONTROL = /\p{Cc}/gu

const safe = (text: string): string =>
  text.replace(CONTROL, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

const place = ({ Partition, Namespace, Key }: Event): string =>
  `${Partition === 'default' ? '' : `${Partition}/`}${Namespace === '' ? '' : `${Namespace}/`}${Key}`

/** Index, time, command and who on the first line; then a line an event: type and partition/namespace/key. */
export const commitForPeople = ({ Index, Time, By, Events }: Commit): string => {
  const who = By.AccessorID === '' ? 'the server' : `token ${By.AccessorID}`
  const where = By.Address === '' ? '' : ` from ${By.Address}`
  const request = By.RequestID === '' ? '' : `, request ${By.RequestID}`
  const head = `${Index}  ${Time}  ${By.Command} by ${who}${where}${request}`
  return (
    safe(head) +
    Events.map(event => `\n    ${safe(`${event.Topic} ${event.Type}  ${place(event)}`)}`).join('')
  )
}

/** A message of the event stream with the commit's time and origin: `{"Index":N,"Time":…,"By":…,"Events":[…]}`. No secrets. */
export const commitAsJson = (commit: Commit): string => commitText(commit)
