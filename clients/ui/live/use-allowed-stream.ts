// A stream of topics for as long as a part of the page is there: all of them where the token may see that, else what it may see of them.
import { useState } from 'preact/hooks'
import type { EventMessage, EventsOptions } from '../../typescript/events.js'
import { client } from '../session/session.js'
import { narrowToVisible } from './narrow-to-visible.js'
import type { StreamState } from './stream-state.js'
import { useStream } from './use-stream.js'

export interface AllowedStream {
  readonly state: StreamState
  /** Why only what the token may see comes, in the words of the server; undefined where it may see all. */
  readonly refusal: string | undefined
}

/** Both as `useStream` has them. */
export const useAllowedStream = (
  options: EventsOptions,
  show: (messages: readonly EventMessage[]) => void | Promise<void>
): AllowedStream => {
  const asking = client.value
  const [refused, setRefused] = useState({ asking, options, text: '' })
  const state = useStream(options, show, ({ message }, start) => {
    const rest = narrowToVisible(start)
    if (rest) setRefused({ asking, options, text: message })
    return rest
  })
  const isOfThis = refused.asking === asking && refused.options === options && refused.text !== ''
  return { state, refusal: isOfThis ? refused.text : undefined }
}
