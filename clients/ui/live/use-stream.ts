import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EventMessage, EventsOptions } from '../../typescript/events.js'
import { client } from '../session/session.js'
import { whenReachable } from './connectivity.js'
import { follow, type NarrowStream, narrowToVisible } from './follow.js'
import type { StreamState } from './stream-state.js'

/** For short streams; long lists use `useResources` or `useLines`. `options` must be stable. @param show delays the next batch */
export const useStream = (
  options: EventsOptions,
  show: (messages: readonly EventMessage[]) => void | Promise<void>,
  narrowed?: NarrowStream
): StreamState => {
  const [state, setState] = useState<StreamState>('loading')
  const currentClient = client.value
  useEffect(() => {
    const controller = new AbortController()
    let isLost = false
    const onState = (next: StreamState): void => {
      isLost = typeof next === 'object' && 'lost' in next
      setState(next)
    }
    const following = follow(
      currentClient,
      options,
      { take: show, onState, ...(narrowed ? { narrowed } : {}) },
      controller.signal
    )
    const stop = whenReachable(isGivenUp => {
      if (isLost || isGivenUp) following.retry()
    })
    return () => {
      controller.abort()
      stop()
    }
  }, [currentClient, options])
  return state
}

interface AllowedStream {
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

/**
 * Follows the events of these topics in all namespaces.
 * @param refresh is called after changes, and once when the stream has begun: earlier reads may lack a change from before it
 */
export const useChanges = (topics: readonly string[], refresh: () => void): AllowedStream => {
  const options = useMemo(() => ({ topics, index: 'now', namespace: '*' }) as const, [topics.join(' ')])
  return useAllowedStream(options, messages => {
    if (messages.some(({ Events, CaughtUp }) => CaughtUp || Events.length > 0)) refresh()
  })
}
