// What a token may see of some topics, now or at the moment that is looked at.
import { useEffect, useMemo } from 'preact/hooks'
import type { EventMessage } from '../../typescript/events.js'
import { asOfIndex } from '../time-travel/as-of-state.js'
import { useResponse } from '../session/use-response.js'
import type { StreamState } from './stream-state.js'
import { useAllowedStream, type AllowedStream } from './use-allowed-stream.js'

/** Which things of the topics are looked at, besides their topic. */
export interface Narrowing {
  readonly namespace?: string
  readonly partition?: string
  /** In the language of filters. It narrows what comes of now; what was comes as a whole. */
  readonly filter?: string
}

const NOTHING = { index: 'now', until: 'now', topics: ['any'] } as const

/** What was, where the pages look at the past. */
const usePast = (
  topics: readonly string[],
  { namespace = '*', partition }: Narrowing,
  show: (messages: readonly EventMessage[]) => void | Promise<void>
): StreamState | undefined => {
  const at = asOfIndex.value
  const query = { topic: topics, ns: namespace, partition, at }
  const path = at === undefined ? undefined : '/v1/event/state'
  const { value, failure } = useResponse<readonly EventMessage[]>(path, query)
  useEffect(() => {
    if (value) void show([{ Index: 0, Events: [], Snapshot: 'restart' }, ...value])
  }, [value])
  if (at === undefined) return undefined
  if (failure !== undefined) return { refused: failure, status: 0 }
  return value ? 'ended' : 'loading'
}

/**
 * Both must be the same objects as long as the same is asked for.
 * @param show gets what is there as events, and then what happens; anew when somebody else looks
 */
export const useVisible = (
  topics: readonly string[],
  narrowing: Narrowing,
  show: (messages: readonly EventMessage[]) => void | Promise<void>
): AllowedStream => {
  const isPast = asOfIndex.value !== undefined
  const options = useMemo(() => {
    if (isPast) return NOTHING
    const { namespace = '*', partition, filter } = narrowing
    const place = { namespace, ...(partition ? { partition } : {}) }
    return { topics, ...place, snapshot: true, ...(filter ? { filter } : {}) }
  }, [topics, narrowing, isPast])
  const seen = useAllowedStream(options, show)
  const past = usePast(topics, narrowing, show)
  return past === undefined ? seen : { ...seen, state: past }
}
