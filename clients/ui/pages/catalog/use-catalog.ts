// The catalog as it is now, for as long as a part of the page is there.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { inWorkerChunks } from '../../live/worker/worker-chunks.js'
import type { AllowedStream } from '../../live/use-stream.js'
import { useVisible, type Narrowing } from '../../live/use-visible.js'
import { client } from '../../session/session.js'
import { CatalogState } from './catalog-state.js'
import type { ServiceSummary } from './summary.js'

/** While a long catalog is read, it is shown so often, in ms. */
const BETWEEN = 500

export interface CatalogView extends AllowedStream {
  readonly catalog: CatalogState
  /** Another number whenever the catalog has changed. */
  readonly turn: number
}

/** Both must be the same objects as long as the same is asked for. */
export const useCatalog = (topics: readonly string[], narrowing: Narrowing): CatalogView => {
  const asking = client.value
  const catalog = useMemo(() => new CatalogState(), [asking, topics, narrowing])
  const [turn, setTurn] = useState(0)
  const shownAt = useRef(0)
  const isLive = useRef(false)
  const seen = useVisible(topics, narrowing, async messages => {
    if (!(await inWorkerChunks(catalog.applying(messages), () => true))) return
    const now = performance.now()
    if (!isLive.current && now - shownAt.current < BETWEEN) return
    shownAt.current = now
    setTurn(before => before + 1)
  })
  useEffect(() => {
    isLive.current = seen.state !== 'loading'
    setTurn(before => before + 1)
  }, [seen.state])
  return { catalog, turn, ...seen }
}

/** The line of a service, where the catalog is that of one namespace. */
export const summaryOf = ({ catalog }: CatalogView, service: string): ServiceSummary | undefined => {
  const id = catalog.services.ids.find(each => catalog.services.get(each)?.service === service)
  return id === undefined ? undefined : catalog.services.get(id)
}
