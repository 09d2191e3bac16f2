// The permitted resources of some topics, now or at the displayed point in time.
import { useEffect, useMemo } from 'preact/hooks'
import type { EventMessage } from '../../typescript/events.js'
import { asOfIndex } from '../time-travel/as-of-state.js'
import { useResponse } from '../session/use-response.js'
import type { StreamState } from './stream-state.js'
import { useAllowedStream, type AllowedStream } from './use-stream.js'

/** Restricts the resources of the topics. */
export interface Narrowing {
  readonly namespace?: string
  readonly partition?: string
  /** A filter expression. It applies to current state only; historical state is complete. */
  readonly filter?: string
}

const NOTHING = { index: 'now', until: 'now', topics: ['any'] } as const

/** Reads the state at the displayed point in time; undefined for now. */
const useHistoricalState = (
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

/** Both parameters must be stable. @param show receives the snapshot as events, then the changes; another token restarts it */
export const useVisible = (
  topics: readonly string[],
  narrowing: Narrowing,
  show: (messages: readonly EventMessage[]) => void | Promise<void>
): AllowedStream => {
  const isPast = asOfIndex.value !== undefined
  const options = useMemo(() => {
    if (isPast) return NOTHING
    const { namespace = '*', partition, filter } = narrowing
    return {
      topics,
      namespace,
      partition: partition || undefined,
      snapshot: true,
      filter: filter || undefined
    }
  }, [topics, narrowing, isPast])
  const current = useAllowedStream(options, show)
  const past = useHistoricalState(topics, narrowing, show)
  return past === undefined ? current : { ...current, state: past }
}
