import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EventMessage, EventsOptions } from '../../typescript/events.js'
import { client } from '../session/session.js'
import { whenReachable } from './connectivity.js'
import { follow, type NarrowStream, narrowToVisible } from './follow.js'
import type { StreamState } from './stream-state.js'
import { useValueFor } from '../session/use-response.js'

/** For short streams; long lists use `useResources` or `useLines`. `options` must be stable. @param show delays the next batch */
export const useStream = (
  options: EventsOptions,
  show: (messages: readonly EventMessage[]) => void | Promise<void>
) => {
  const [state, setState] = useState<StreamState>('loading')
  const currentClient = client.value
  const inputs = [currentClient, options]
  const [refusal, setRefusal] = useValueFor<string>(inputs)
  useEffect(() => {
    const controller = new AbortController()
    let isLost = false
    const onState = (next: StreamState): void => {
      isLost = typeof next === 'object' && 'lost' in next
      setState(next)
    }
    const narrowed: NarrowStream = ({ message }, start) => {
      const rest = narrowToVisible(start)
      if (rest) setRefusal(message)
      return rest
    }
    const following = follow(currentClient, options, { take: show, onState, narrowed }, controller.signal)
    const stop = whenReachable(isGivenUp => {
      if (isLost || isGivenUp) following.retry()
    })
    return () => {
      controller.abort()
      stop()
    }
  }, inputs)
  return {
    state,
    /** Why only the permitted events follow; undefined when the token may read all. */
    refusal
  }
}

/**
 * Follows the events of these topics in all namespaces.
 * @param refresh is called after changes, and once when the stream has begun: earlier reads may lack a change from before it
 */
export const useChanges = (topics: readonly string[], refresh: () => void) => {
  const options = useMemo(() => ({ topics, index: 'now', namespace: '*' }) as const, [topics.join(' ')])
  return useStream(options, messages => {
    if (messages.some(({ Events, CaughtUp }) => CaughtUp || Events.length > 0)) refresh()
  })
}
