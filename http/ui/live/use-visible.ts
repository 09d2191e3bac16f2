// What a token may see of some topics: where it may not see a topic as a whole, those of its things that it may.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EventMessage } from '../../../client/events.js'
import { moment } from '../past/moment.js'
import { useAnswer } from '../session/use-answer.js'
import { client } from '../session/session.js'
import type { StreamState } from './stream-state.js'
import { useStream } from './use-stream.js'

/** Which things of the topics are looked at, besides their topic. */
export interface Narrowing {
  readonly namespace?: string
  readonly partition?: string
  /** In the language of filters. It narrows what comes of now; what was comes as a whole. */
  readonly filter?: string
}

export interface Visible {
  readonly state: StreamState
  /** What the server said when all things were asked for: less than that is shown. */
  readonly missing: string | undefined
}

const NOTHING = { index: 'now', until: 'now', topics: ['any'] } as const
const FORBIDDEN = 403

/** What was, where the pages look at the past. */
const usePast = (
  topics: readonly string[],
  { namespace = '*', partition }: Narrowing,
  show: (messages: readonly EventMessage[]) => void | Promise<void>
): StreamState | undefined => {
  const at = moment.value
  const query = { topic: topics, ns: namespace, partition, at }
  const path = at === undefined ? undefined : '/v1/event/state'
  const { value, failure } = useAnswer<readonly EventMessage[]>(path, query)
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
): Visible => {
  const asking = client.value
  const [refused, setRefused] = useState<{ readonly text: string; readonly asking: typeof asking }>()
  const missing = refused?.asking === asking ? refused.text : undefined
  const isPast = moment.value !== undefined
  const options = useMemo(() => {
    if (isPast) return NOTHING
    const { namespace = '*', partition, filter } = narrowing
    const place = { snapshot: true, namespace, ...(partition ? { partition } : {}) }
    const ofTopics = topics.map(topic => `Topic == ${JSON.stringify(topic)}`).join(' or ')
    if (missing === undefined) return { ...place, topics, ...(filter ? { filter } : {}) }
    return { ...place, topics: ['any'], filter: filter ? `(${ofTopics}) and (${filter})` : ofTopics }
  }, [topics, narrowing, missing, isPast])
  const state = useStream(options, show)
  const past = usePast(topics, narrowing, show)
  const refusal =
    missing === undefined && typeof state === 'object' && 'refused' in state && state.status === FORBIDDEN
      ? state.refused
      : undefined
  useEffect(() => {
    if (refusal !== undefined) setRefused({ text: refusal, asking })
  }, [refusal])
  return { state: past ?? (refusal === undefined ? state : 'loading'), missing }
}
