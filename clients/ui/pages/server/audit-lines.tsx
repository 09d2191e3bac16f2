import { Table, Who } from '../../design/index.js'
import { EventFormatter } from '../../resources/format-event.js'
import { CommitLines } from '../commit-line.js'
import type { AuditLine } from './audit-query.js'
import { Time } from './formatters.js'

/** Resources whose values are remembered for the words of their next change. */
const MAX_REMEMBERED = 10_000

/** Returns the old and new values of the first event of each commit. @param lines newest first */
const valuesOf = (lines: readonly AuditLine[]): ReadonlyMap<AuditLine, string> => {
  const formatter = new EventFormatter(MAX_REMEMBERED)
  const values = new Map<AuditLine, string>()
  for (const line of lines.toReversed())
    for (const [at, event] of (line.Events ?? []).entries()) {
      const { Index = 0 } = line
      const { Partition = '', Payload = {} } = event
      const words = formatter.describe({ ...event, Partition, Payload, Index, FilterKeys: null })
      if (at === 0 && words.includes('→')) values.set(line, words)
    }
  return values
}

const dayOf = ({ Time: at }: AuditLine): string =>
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
  <Time key="time" at={line.Time} />,
  <Who key="who" accessor={line.AccessorID} />,
  line.Address,
  line.LeftOut === undefined ? `${line.Method ?? ''} ${line.Path ?? ''}` : `${line.LeftOut} more omitted`,
  line.Permission === undefined ? line.Refusal : `${line.Permission} ${line.On ?? ''}`,
  line.Count ?? 1,
  line.Permission !== undefined && (
    <a key="explain" href={`/ui/explain?${new URLSearchParams({ denial: denialOf(line) })}`}>
      Explain
    </a>
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
  const days = new Map<string, AuditLine[]>()
  for (const line of lines) days.set(dayOf(line), [...(days.get(dayOf(line)) ?? []), line])
  if (lines.length === 0) return <p role="status">No commits match.</p>
  return (
    <>
      {[...days].map(([day, commits]) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <CommitLines lines={commits} more={line => values.get(line) ?? ''} />
        </section>
      ))}
    </>
  )
}
