import { Table, Who } from '../../design/index.js'
import { addressOf } from '../../resources/kind.js'
import { kinds } from '../../resources/kinds.js'
import type { AuditEvent, AuditLine } from './audit-query.js'
import { Time } from './formatters.js'

const MOST_EVENTS = 5

const EventName = ({ event }: { readonly event: AuditEvent }) => {
  const kind = kinds.find(({ topic }) => topic === event.Topic)
  const { Partition = '', ...named } = event
  return (
    <div>
      {event.Type}{' '}
      {kind ? (
        <a href={addressOf(kind, { ...named, Partition, Index: 0, FilterKeys: null, Payload: {} })}>
          {event.Key}
        </a>
      ) : (
        event.Key
      )}
    </div>
  )
}

const Events = ({ events }: { readonly events: readonly AuditEvent[] }) => (
  <>
    {events.slice(0, MOST_EVENTS).map((event, at) => (
      <EventName key={at} event={event} />
    ))}
    {events.length > MOST_EVENTS && <div>and {events.length - MOST_EVENTS} more</div>}
  </>
)

const commitRow = ({ Index, Time: at, By, Events: events = [] }: AuditLine) => [
  Index,
  <Time key="time" at={at} />,
  <Who key="who" accessor={By?.AccessorID} />,
  By?.Address,
  By?.Command,
  <Events key="events" events={events} />,
  By?.Reason
]

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
  readonly lines: readonly AuditLine[]
  /** Of denied attempts, the newest are shown. */
  readonly most: number
}

export const AuditLines = ({ lines, most }: Props) => {
  const denied = lines.filter(({ Index }) => Index === undefined)
  if (denied.length > 0)
    return (
      <>
        {denied.length > most && <p role="status">{`The newest ${most} of ${denied.length}`}</p>}
        <Table
          label="Denied attempts"
          head={['After commit', 'Time', 'Token', 'From', 'Request', 'Missing', 'Times', 'Action']}
          rows={denied.slice(-most).map(denialRow)}
          none=""
        />
      </>
    )
  return (
    <Table
      label="Commits"
      head={['Commit', 'Time', 'Token', 'From', 'Command', 'Events', 'Reason']}
      rows={lines.map(commitRow)}
      none="No commits match."
    />
  )
}
