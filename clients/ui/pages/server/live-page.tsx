// A page that repeats its requests while it is visible and not paused, for data without events such as metrics and lags.
import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Button, Heading } from '../../design/index.js'
import { useResponse, type ResponseState } from '../../session/use-response.js'

const INTERVAL_MS = 5000

interface RefreshTimer {
  /** Changes when the requests must be repeated. */
  readonly turn: number
  readonly refresh: () => void
}

const RefreshTimerContext = createContext<RefreshTimer>({ turn: 0, refresh: () => {} })

/** The timer of the page of a component. */
export const usePageRefreshTimer = (): RefreshTimer => useContext(RefreshTimerContext)

/** As `useResponse`, repeated by the timer of the page. */
export const useLiveResponse = <T,>(path: string | undefined, query: Query = {}): ResponseState<T> =>
  useResponse<T>(path, query, usePageRefreshTimer().turn)

interface Props {
  readonly title: string
  readonly children: ComponentChildren
}

export const LivePage = ({ title, children }: Props) => {
  const [turn, setTurn] = useState(0)
  const [isPaused, setIsPaused] = useState(false)
  const refresh = (): void => setTurn(before => before + 1)
  useEffect(() => {
    if (isPaused) return
    const refreshVisible = (): void => {
      if (document.visibilityState === 'visible') refresh()
    }
    const timer = setInterval(refreshVisible, INTERVAL_MS)
    document.addEventListener('visibilitychange', refreshVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refreshVisible)
    }
  }, [isPaused])
  return (
    <RefreshTimerContext.Provider value={{ turn, refresh }}>
      <main class="resource">
        <header>
          <Heading>{title}</Heading>
          <Button label="Pause" act={() => setIsPaused(!isPaused)} aria-pressed={isPaused} />
          <Button label="Refresh" act={refresh} />
        </header>
        {children}
      </main>
    </RefreshTimerContext.Provider>
  )
}
