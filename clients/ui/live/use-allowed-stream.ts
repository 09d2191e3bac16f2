// A stream of topics that falls back to the permitted part when the token may not read all.
import { useState } from 'preact/hooks'
import type { EventMessage, EventsOptions } from '../../typescript/events.js'
import { client } from '../session/session.js'
import { narrowToVisible } from './narrow-to-visible.js'
import type { StreamState } from './stream-state.js'
import { useStream } from './use-stream.js'

export interface AllowedStream {
  readonly state: StreamState
  /** The server's reason for the fallback; undefined when the token may read all. */
  readonly refusal: string | undefined
}

/** The parameters are those of `useStream`. */
export const useAllowedStream = (
  options: EventsOptions,
  show: (messages: readonly EventMessage[]) => void | Promise<void>
): AllowedStream => {
  const currentClient = client.value
  const [fallback, setFallback] = useState({ currentClient, options, text: '' })
  const state = useStream(options, show, ({ message }, start) => {
    const rest = narrowToVisible(start)
    if (rest) setFallback({ currentClient, options, text: message })
    return rest
  })
  const isCurrent =
    fallback.currentClient === currentClient && fallback.options === options && fallback.text !== ''
  return { state, refusal: isCurrent ? fallback.text : undefined }
}
