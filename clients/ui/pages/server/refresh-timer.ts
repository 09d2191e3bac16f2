// When what no event tells (measures, lags) is asked again: calmly, while the page is seen, and not while it is paused.
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'

/** How long an answer is shown before it is asked for again, in ms. */
const REST = 5000

interface RefreshTimer {
  /** Another number whenever it is time to ask. */
  readonly turn: number
  readonly isPaused: boolean
  readonly pause: (isPaused: boolean) => void
  /** Asks now. */
  readonly ask: () => void
}

export const useRefreshTimer = (): RefreshTimer => {
  const [turn, setTurn] = useState(0)
  const [isPaused, pause] = useState(false)
  const ask = (): void => setTurn(before => before + 1)
  useEffect(() => {
    if (isPaused) return
    const look = (): void => {
      if (document.visibilityState === 'visible') ask()
    }
    const timer = setInterval(look, REST)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [isPaused])
  return { turn, isPaused, pause, ask }
}

export const RefreshTimerContext = createContext<RefreshTimer>({
  turn: 0,
  isPaused: true,
  pause: () => {},
  ask: () => {}
})

/** Of the page that a part stands on. */
export const usePageRefreshTimer = (): RefreshTimer => useContext(RefreshTimerContext)
