import { useMemo } from 'preact/hooks'
import { type AllowedStream, useAllowedStream } from './use-stream.js'

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
