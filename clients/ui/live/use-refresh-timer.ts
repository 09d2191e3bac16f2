import { useEffect } from 'preact/hooks'
import { useTurn } from '../session/use-response.js'

/** As `useTurn`, refreshed at intervals in ms while the page is visible. */
export const useRefreshTimer = (interval: number, isPaused = false): ReturnType<typeof useTurn> => {
  const [turn, refresh] = useTurn()
  useEffect(() => {
    if (isPaused) return
    const refreshVisible = (): void => {
      if (document.visibilityState === 'visible') refresh()
    }
    const timer = setInterval(refreshVisible, interval)
    document.addEventListener('visibilitychange', refreshVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refreshVisible)
    }
  }, [isPaused])
  return [turn, refresh]
}
