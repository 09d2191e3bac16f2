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

/** How long something has gone on, in its two largest units. @param seconds whole ones */
export const spanText = (seconds: number): string => {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's']
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

export const countText = (count: number | undefined): string => count?.toLocaleString('en') ?? ''

/** RFC 3339. */
export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>{new Date(at).toLocaleString()}</time>
)
