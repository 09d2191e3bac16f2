// A time with its distance from now: <RelativeTime at={token.ExpirationTime} />
import { signal } from '@preact/signals'

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

const AGING_MS = 10_000
/** Changes as time passes, so that displayed times age. */
const age = signal(0)
setInterval(() => age.value++, AGING_MS)

interface Props {
  /** RFC 3339. */
  readonly at: string
  /** Shows the absolute time in the tooltip only. */
  readonly isShort?: boolean
}

export const RelativeTime = ({ at, isShort = false }: Props) => {
  void age.value
  const time = new Date(at)
  const absolute = time.toLocaleString()
  return (
    <time dateTime={at} title={isShort ? absolute : at}>
      {formatRelativeTime(time.getTime(), Date.now())}
      {!isShort && ` (${absolute})`}
    </time>
  )
}
