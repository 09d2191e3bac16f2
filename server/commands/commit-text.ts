import { commitText } from '../../events/codec.js'
import type { Commit } from '../../events/envelope.js'
import { originText, originTenancyText } from '../../clients/cli/origin-text.js'
import { safe } from '../../clients/cli/remote/output.js'

/** The first line has index, time, command, caller and reason. One line for each event follows: type and partition/namespace/key. */
export const commitAsText = ({ Index, Time, By, Events }: Commit): string => {
  const events = Events.map(
    event =>
      `    ${event.Topic} ${event.Type}  ${originTenancyText(event)}${event.Erased ? '  (erased)' : ''}`
  )
  return [`${Index}  ${Time}  ${originText(By)}`, ...events].map(safe).join('\n')
}

/** Returns an event stream message with time and origin, without secrets: `{"Index":N,"Time":…,"By":…,"Events":[…]}`. */
export const commitAsJson = (commit: Commit): string => commitText(commit)
