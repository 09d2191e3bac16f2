// The catalog as it is now, for as long as a part of the page is there.
import { useMemo, useState } from 'preact/hooks'
import { useVisible, type Narrowing, type Visible } from '../../live/use-visible.js'
import { client } from '../../session/session.js'
import { CatalogState } from './catalog-state.js'
import type { ServiceSummary } from './summary.js'

export interface ShownCatalog extends Visible {
  readonly catalog: CatalogState
  /** Another number whenever the catalog has changed. */
  readonly turn: number
}

/** Both must be the same objects as long as the same is asked for. */
export const useCatalog = (topics: readonly string[], narrowing: Narrowing): ShownCatalog => {
  const asking = client.value
  const catalog = useMemo(() => new CatalogState(), [asking, topics, narrowing])
  const [turn, setTurn] = useState(0)
  const seen = useVisible(topics, narrowing, messages => {
    catalog.apply(messages)
    setTurn(before => before + 1)
  })
  return { catalog, turn, ...seen }
}

/** The line of a service, where the catalog is that of one namespace. */
export const summaryOf = ({ catalog }: ShownCatalog, service: string): ServiceSummary | undefined => {
  const id = catalog.services.ids.find(each => catalog.services.get(each)?.service === service)
  return id === undefined ? undefined : catalog.services.get(id)
}
