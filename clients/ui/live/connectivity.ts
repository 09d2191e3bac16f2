// When another try to connect may go well: the network is back, or the page is looked at again.

/** A connection that was not looked after for so long may be dead, in ms. */
const LONG = 60_000

/** @param retry gets whether a connection that seems to be there is to be given up, too @returns what stops listening */
export const whenReachable = (retry: (isGivenUp: boolean) => void): (() => void) => {
  let hiddenSince = Infinity
  const online = (): void => retry(true)
  const seen = (): void => {
    if (document.visibilityState === 'hidden') hiddenSince = Date.now()
    else {
      retry(Date.now() - hiddenSince > LONG)
      hiddenSince = Infinity
    }
  }
  addEventListener('online', online)
  addEventListener('offline', online)
  document.addEventListener('visibilitychange', seen)
  return () => {
    removeEventListener('online', online)
    removeEventListener('offline', online)
    document.removeEventListener('visibilitychange', seen)
  }
}
