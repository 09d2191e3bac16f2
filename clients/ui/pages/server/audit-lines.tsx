import { useEffect, useRef, useState } from 'preact/hooks'
import { Table, Who, RelativeTime } from '../../design/index.js'
import { EventFormatter, UNSPECIFIC } from '../../resources/format-event.js'
import { CommitLines } from '../commit-line.js'
import { useVersionPair } from '../use-version-pair.js'
import type { AuditEvent, AuditLine } from '../../../audit-lines.js'
import { streamedEvent } from './audit-query.js'

/** Resources whose values are remembered for the words of their next change. */
const MAX_REMEMBERED = 10_000

/** Returns the words for the first event of each commit. @param lines newest first */
const valuesOf = (lines: readonly AuditLine[]): ReadonlyMap<AuditLine, string> => {
  const formatter = new EventFormatter(MAX_REMEMBERED)
  const values = new Map<AuditLine, string>()
  for (const line of lines.toReversed())
    for (const [at, event] of (line.Events ?? []).entries()) {
      const words = formatter.describe(streamedEvent(event, line.Index ?? 0))
      if (at === 0) values.set(line, words)
    }
  return values
}

/** The old and new values of an event whose previous version is in the history alone. They are read when they come into view. */
export const ReadValues = ({ event, index }: { readonly event: AuditEvent; readonly index: number }) => {
  const place = useRef<HTMLSpanElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(entries => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true)
    })
    if (place.current && !isSeen) observer.observe(place.current)
    return () => observer.disconnect()
  }, [isSeen])
  const { value } = useVersionPair(isSeen ? streamedEvent(event, index) : undefined)
  const formatter = new EventFormatter(2)
  const words = value
    ?.toReversed()
    .map(({ Type, Payload = {}, Index }) =>
      formatter.describe(streamedEvent({ ...event, Type, Payload }, Index))
    )
  const last = words?.at(-1) ?? ''
  return (
    <span ref={place} title={last}>
      {UNSPECIFIC.test(last) ? '' : last}
    </span>
  )
}

const dayOf = ({ Time: at = '' }: AuditLine): string =>
  new Date(at).toLocaleDateString(undefined, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric'
  })

const clause = (word: string, kind: string, name = 'default'): string => {
  if (name === 'default') return ''
  return name === '' ? ` ${word} every ${kind}` : ` ${word} ${kind} "${name}"`
}

/** Returns the text with which the server denied the request. */
const denialOf = ({ AccessorID = '', Permission = '', On = '', Namespace, Partition }: AuditLine): string => {
  const on = On === null ? ' on everything' : On === '' ? '' : ` on ${JSON.stringify(On)}`
  const tenancy = clause('in', 'namespace', Namespace) + clause('of', 'partition', Partition)
  return `Permission denied: token with AccessorID '${AccessorID}' lacks permission '${Permission}'${on}${tenancy}`
}

const denialRow = (line: AuditLine) => [
  line.AfterIndex,
  <RelativeTime at={line.Time ?? ''} isShort />,
  <Who accessor={line.AccessorID} />,
  line.Address,
  line.LeftOut === undefined ? `${line.Method ?? ''} ${line.Path ?? ''}` : `${line.LeftOut} more omitted`,
  line.Permission === undefined ? line.Refusal : `${line.Permission} ${line.On ?? ''}`,
  line.Count ?? 1,
  line.Permission !== undefined && (
    <a href={`/ui/explain?${new URLSearchParams({ denial: denialOf(line) })}`}>Explain</a>
  )
]

interface Props {
  /** Newest first. */
  readonly lines: readonly AuditLine[]
}

export const DenialLines = ({ lines }: Props) => (
  <Table
    label="Denied attempts"
    head={['After commit', 'Time', 'Token', 'From', 'Request', 'Missing', 'Times', 'Action']}
    rows={lines.map(denialRow)}
    none="No attempts were denied in this period."
  />
)

/** Commits by day. */
export const AuditLines = ({ lines }: Props) => {
  const values = valuesOf(lines)
  const valuesIn = (line: AuditLine) => {
    const words = values.get(line) ?? ''
    const [event] = line.Events ?? []
    if (!UNSPECIFIC.test(words)) return words
    return event && words.startsWith('changed') ? <ReadValues event={event} index={line.Index ?? 0} /> : ''
  }
  if (lines.length === 0) return <p role="status">No commits match.</p>
  return (
    <>
      {[...Map.groupBy(lines, dayOf)].map(([day, commits]) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <CommitLines lines={commits} more={valuesIn} />
        </section>
      ))}
    </>
  )
}
