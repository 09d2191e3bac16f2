// A commit as text: for people, and as a line of JSON.
import { commitText } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'

/** Control characters, which could make a terminal show something else than what is there. */
const CONTROL = /\p{Cc}/gu

const safe = (text: string): string =>
  text.replace(CONTROL, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

const place = ({ Partition, Namespace, Key }: Event): string =>
  `${Partition === 'default' ? '' : `${Partition}/`}${Namespace === '' ? '' : `${Namespace}/`}${Key}`

/** Who asked; a client's token is not looked at where anyone may ask, as at the bootstrap. */
const asker = ({ AccessorID, Address }: Commit['By']): string => {
  if (AccessorID !== '') return `by token ${AccessorID}`
  return Address === '' ? 'by the server' : 'without a token'
}

/** Index, time, command and who on the first line; then a line an event: type and partition/namespace/key. */
export const commitForPeople = ({ Index, Time, By, Events }: Commit): string => {
  const where = By.Address === '' ? '' : ` from ${By.Address}`
  const request = By.RequestID === '' ? '' : `, request ${By.RequestID}`
  const head = `${Index}  ${Time}  ${By.Command} ${asker(By)}${where}${request}`
  return (
    safe(head) +
    Events.map(event => `\n    ${safe(`${event.Topic} ${event.Type}  ${place(event)}`)}`).join('')
  )
}

/** A message of the event stream with the commit's time and origin: `{"Index":N,"Time":…,"By":…,"Events":[…]}`. No secrets. */
export const commitAsJson = (commit: Commit): string => commitText(commit)
