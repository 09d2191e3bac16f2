// Detects when a connection attempt may succeed: the network is back, or the page is visible again.

/** A connection of a page hidden for longer may be dead, in ms. */
const MAX_HIDDEN = 60_000

/** @param retry receives whether an open connection should be replaced too @returns a function that stops listening */
export const whenReachable = (retry: (isGivenUp: boolean) => void): (() => void) => {
  let hiddenSince = Infinity
  const onNetworkChange = (): void => retry(true)
  const onVisibilityChange = (): void => {
    if (document.visibilityState === 'hidden') hiddenSince = Date.now()
    else {
      retry(Date.now() - hiddenSince > MAX_HIDDEN)
      hiddenSince = Infinity
    }
  }
  addEventListener('online', onNetworkChange)
  addEventListener('offline', onNetworkChange)
  document.addEventListener('visibilitychange', onVisibilityChange)
  return () => {
    removeEventListener('online', onNetworkChange)
    removeEventListener('offline', onNetworkChange)
    document.removeEventListener('visibilitychange', onVisibilityChange)
  }
}
