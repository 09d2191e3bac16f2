// A stream for as long as a part of the page is there.
import { useEffect, useState } from 'preact/hooks'
import type { EventMessage, EventsOptions } from '../../typescript/events.js'
import { client } from '../session/session.js'
import { whenReachable } from './connectivity.js'
import { follow, type NarrowStream } from './follow.js'
import type { StreamState } from './stream-state.js'

/**
 * For streams that say little: lists of many things are read by `useThings`, and events by `useLines`.
 * @param show gets more when it is done with what it got
 * @param options must be the same object as long as the same is asked for
 * @param narrowed as a `Follower` has it
 */
export const useStream = (
  options: EventsOptions,
  show: (messages: readonly EventMessage[]) => void | Promise<void>,
  narrowed?: NarrowStream
): StreamState => {
  const [state, setState] = useState<StreamState>('loading')
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    let isLost = false
    const tell = (next: StreamState): void => {
      isLost = typeof next === 'object' && 'lost' in next
      setState(next)
    }
    const following = follow(
      asking,
      options,
      { take: show, tell, ...(narrowed ? { narrowed } : {}) },
      ended.signal
    )
    const stop = whenReachable(isGivenUp => {
      if (isLost || isGivenUp) following.retry()
    })
    return () => {
      ended.abort()
      stop()
    }
  }, [asking, options])
  return state
}
