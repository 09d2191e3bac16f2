// A time with its distance from now: <RelativeTime at={token.ExpirationTime} />
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
] as const

const WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

/** Formats the distance between two times in ms: `in 3 days`, `2 hr. ago`. */
export const formatRelativeTime = (time: number, now: number): string => {
  const seconds = (time - now) / 1000
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return WORDS.format(Math.trunc(seconds / size), unit)
}

/** @param at RFC 3339 */
export const RelativeTime = ({ at }: { readonly at: string }) => {
  const time = new Date(at)
  return (
    <time dateTime={at} title={at}>
      {formatRelativeTime(time.getTime(), Date.now())} ({time.toLocaleString()})
    </time>
  )
}
