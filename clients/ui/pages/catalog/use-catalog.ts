import { useEffect, useMemo, useRef } from 'preact/hooks'
import { inWorkerChunks } from '../../live/worker/worker-chunks.js'
import { type AllowedStream, useAllowedStream } from '../../live/use-stream.js'
import { client } from '../../session/session.js'
import { CatalogState } from './catalog-state.js'
import type { ServiceSummary } from './summary.js'
import type { EventMessage } from '../../../typescript/events.js'
import { asOfIndex } from '../../time-travel/as-of-state.js'
import { useTurn, useResponse } from '../../session/use-response.js'
import type { StreamState } from '../../live/stream-state.js'

/** Restricts the resources of the topics. */
interface Narrowing {
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
const useVisible = (
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

/** The interval of updates while a long catalog loads, in ms. */
const LOADING_INTERVAL = 500

export interface CatalogView extends AllowedStream {
  readonly catalog: CatalogState
  /** Changes with the catalog. */
  readonly turn: number
}

/** Both parameters must be stable objects. */
export const useCatalog = (topics: readonly string[], narrowing: Narrowing): CatalogView => {
  const currentClient = client.value
  const catalog = useMemo(() => new CatalogState(), [currentClient, topics, narrowing])
  const [turn, refresh] = useTurn()
  const shownAt = useRef(0)
  const isLive = useRef(false)
  const seen = useVisible(topics, narrowing, async messages => {
    if (!(await inWorkerChunks(catalog.applying(messages), () => true))) return
    const now = performance.now()
    if (!isLive.current && now - shownAt.current < LOADING_INTERVAL) return
    shownAt.current = now
    refresh()
  })
  useEffect(() => {
    isLive.current = seen.state !== 'loading'
    refresh()
  }, [seen.state])
  return { catalog, turn, ...seen }
}

/** Returns the summary of a service in a catalog of one namespace. */
export const summaryOf = ({ catalog }: CatalogView, service: string): ServiceSummary | undefined =>
  catalog.services.all.find(summary => summary.service === service)
