// A stream for as long as a part of the page is there.
import { useEffect, useState } from 'preact/hooks'
import { RequestRefused } from '../../../client/failures.js'
import type { EventMessage, EventsOptions } from '../../../client/events.js'
import { client } from '../session/session.js'
import { inBatches } from './batches.js'

/** `loading` until the stream has told what is there now. */
export type StreamState = 'loading' | 'live' | { readonly refused: string } | { readonly lost: string }

/** @param options must be the same object as long as the same is asked for */
export const useStream = (
  options: EventsOptions,
  show: (messages: readonly EventMessage[]) => void
): StreamState => {
  const [state, setState] = useState<StreamState>('loading')
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    setState('loading')
    const take = (messages: readonly EventMessage[]): void => {
      if (ended.signal.aborted) return
      if (messages.some(({ Snapshot, CaughtUp }) => Snapshot === 'end' || CaughtUp)) setState('live')
      show(messages)
    }
    inBatches(asking.events({ ...options, progress: true, signal: ended.signal }), take).catch(
      (error: unknown) => {
        if (ended.signal.aborted) return
        const text = error instanceof Error ? error.message : String(error)
        setState(error instanceof RequestRefused ? { refused: text } : { lost: text })
      }
    )
    return () => ended.abort()
  }, [asking, options])
  return state
}
