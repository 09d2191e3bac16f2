const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const KIBI = 1024

/** A number of bytes. */
export const sizeText = (bytes: number): string => {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / KIBI ** step
  return `${amount.toLocaleString(undefined, { maximumFractionDigits: step === 0 ? 0 : 1 })} ${UNITS[step] ?? ''}`
}

/** A time in seconds, of which milliseconds matter. */
export const secondsText = (seconds: number): string =>
  seconds < 1
    ? `${(seconds * 1000).toLocaleString(undefined, { maximumFractionDigits: 2 })} ms`
    : `${seconds.toLocaleString(undefined, { maximumFractionDigits: 2 })} s`

export const countText = (count: number | undefined): string => count?.toLocaleString('en') ?? ''
