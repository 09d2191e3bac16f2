import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { inWorkerChunks } from '../../live/worker/worker-chunks.js'
import type { AllowedStream } from '../../live/use-stream.js'
import { useVisible, type Narrowing } from '../../live/use-visible.js'
import { client } from '../../session/session.js'
import { CatalogState } from './catalog-state.js'
import type { ServiceSummary } from './summary.js'

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
  const [turn, setTurn] = useState(0)
  const shownAt = useRef(0)
  const isLive = useRef(false)
  const seen = useVisible(topics, narrowing, async messages => {
    if (!(await inWorkerChunks(catalog.applying(messages), () => true))) return
    const now = performance.now()
    if (!isLive.current && now - shownAt.current < LOADING_INTERVAL) return
    shownAt.current = now
    setTurn(before => before + 1)
  })
  useEffect(() => {
    isLive.current = seen.state !== 'loading'
    setTurn(before => before + 1)
  }, [seen.state])
  return { catalog, turn, ...seen }
}

/** Returns the summary of a service in a catalog of one namespace. */
export const summaryOf = ({ catalog }: CatalogView, service: string): ServiceSummary | undefined => {
  const id = catalog.services.ids.find(each => catalog.services.get(each)?.service === service)
  return id === undefined ? undefined : catalog.services.get(id)
}
