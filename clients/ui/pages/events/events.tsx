import { useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useLines, type Lines } from '../../live/use-resources.js'
import type { LineRow } from '../../live/worker/protocol.js'
import {
  Button,
  Choice,
  Facts,
  Heading,
  List,
  type ListColumn,
  PERIODS,
  Refusal,
  RelativeTime,
  StreamNotice,
  TextDiff,
  Who,
  SubmitForm,
  Field
} from '../../design/index.js'
import { EVERYWHERE, usePermission } from '../../session/use-response.js'
import { withTenancy, useTenancy } from '../../session/tenancy.js'
import { requestOf, startOf, INVALID_START, eventQueryIn, type EventQuery } from './event-query.js'
import { ReadValues } from '../server/audit-lines.js'
import { countText } from '../server/formatters.js'
import { useVersionPair } from '../use-version-pair.js'
import {
  addressOf,
  addressOfPage,
  textOf,
  titleOf,
  type Kind,
  readable,
  readableVersion
} from '../../resources/kind.js'
import { kinds } from '../../resources/kinds.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'

/** Returns a name in place of an ID. */
const nameOf = (kind: Kind, { Key, Payload }: StreamedEvent): string =>
  /^[\da-f-]{36}$/.test(Key) ? titleOf(kind, Payload) || Key : Key

/** @param isRead reads the previous values of changes, which costs too much for live events */
const columnsOf = (open: (line: LineRow) => void, isRead: boolean): readonly ListColumn<LineRow>[] => [
  {
    title: 'Index',
    width: '5rem',
    cell: line => {
      const { Index, Type, Key } = line.event
      const label = `Open event ${Index}: ${Type} ${Key}`
      return <Button label={Index} act={() => open(line)} class="plain" aria-label={label} />
    }
  },
  {
    title: 'Time',
    width: '9rem',
    cell: ({ origin }) => origin && <RelativeTime at={origin.Time} isShort />
  },
  {
    title: 'Who',
    width: 'minmax(6rem, 1.4fr)',
    cell: ({ origin }) => origin && <Who accessor={origin.AccessorID} />
  },
  { title: 'Type', width: 'minmax(6rem, 1.2fr)', isWide: true, cell: ({ event }) => event.Type },
  {
    title: 'Key',
    width: 'minmax(6rem, 2fr)',
    isTitle: true,
    cell: ({ event }) => {
      const kind = kinds.find(({ topic }) => topic === event.Topic)
      return kind ? <a href={addressOf(kind, event)}>{nameOf(kind, event)}</a> : event.Key
    },
    text: ({ event }) => event.Key
  },
  {
    title: 'Change',
    width: 'minmax(6rem, 2fr)',
    cell: ({ words, event }) => [
      `${words} `,
      isRead && words === 'changed' && <ReadValues event={event} index={event.Index} />
    ],
    text: ({ words }) => words
  },
  { title: 'Namespace', width: '6.5rem', isWide: true, cell: ({ event }) => event.Namespace }
]

interface Props {
  readonly line: LineRow
  readonly close: () => void
}

const EventDetails = ({ line: { event, origin }, close }: Props) => {
  const { Topic, Key, Type, Index, Payload } = event
  const { value, failure } = useVersionPair(event)
  const [version, previous] = value ?? []
  const by = version?.By ?? origin
  const kind = kinds.find(({ topic }) => topic === Topic)
  return (
    <section class="details" aria-label={`Event ${Index}`} tabIndex={0}>
      <header>
        <h2>
          {Type} {Key}
        </h2>
        <Button label="Close" act={close} />
      </header>
      <Facts
        facts={[
          ['Time', version?.Time ?? origin?.Time],
          ['Who', by && <Who accessor={by.AccessorID} name={version?.By?.TokenName} />],
          ['From', by?.Address],
          ['Command', by?.Command],
          ['Reason', textOf(by?.Reason)],
          ['Change set', textOf(by?.ChangeSet)],
          ['Owner', textOf(by?.Owner)]
        ]}
      />
      <p class="choices">
        {kind && <a href={addressOf(kind, event)}>Open resource</a>}
        {kind && <a href={`${addressOf(kind, event)}&at=${Index}`}>Time travel to commit {Index}</a>}
        <a href={`/ui/events?from=${Index}`}>Events from this commit on</a>
      </p>
      <h3>Changes</h3>
      <Refusal text={failure} />
      <TextDiff
        before={readableVersion(previous)}
        after={version ? readableVersion(version) : readable(Payload)}
      />
    </section>
  )
}

interface FiltersProps {
  readonly wanted: EventQuery
  readonly want: (wanted: EventQuery) => void
  readonly types: readonly string[]
  readonly failure: string | undefined
}

const TOPICS = kinds.map(({ topic }) => topic).toSorted()
const STARTS = ['5m', '15m', '1h', '6h', '1d', '7d', 'beginning'] as const

/** A field applies on Enter and on blur. */
const Filters = ({ wanted, want, types, failure }: FiltersProps) => {
  const lazy = (field: keyof EventQuery) => ({
    isLazy: true,
    value: wanted[field],
    change: (text: string): void => want({ ...wanted, [field]: text })
  })
  return (
    <search aria-label="Filter events">
      <SubmitForm class="filters" failure={failure} submit={() => {}}>
        <Field label="Topic" name="topic" placeholder="any" options={TOPICS} {...lazy('topic')} />
        <Field label="Key" placeholder="any, or a folder/" {...lazy('key')} />
        <Field label="Type" name="type" placeholder="any" options={types} {...lazy('type')} />
        <Field label="From" name="index|since|after" placeholder="now" options={STARTS} {...lazy('from')} />
        <Field
          label="Filter"
          name="expression|filter"
          placeholder={'Key matches "^web"'}
          {...lazy('filter')}
        />
      </SubmitForm>
    </search>
  )
}

/** Explains what the list does not contain. */
const missingOf = ({ dropped, gaps }: Lines, hasMeta: boolean): string =>
  [
    ...(dropped > 0 ? [`${countText(dropped)} older events are no longer on the page.`] : []),
    ...gaps.map(({ after, until }) => `The log no longer has the events between ${after} and ${until}.`),
    ...(hasMeta ? [] : ['Author and time require operator:read.'])
  ].join(' ')

interface EventListProps {
  readonly wanted: EventQuery
  /** The token may read the origins and times of events. */
  readonly hasMeta: boolean
}

const EventList = ({ wanted, hasMeta }: EventListProps) => {
  const { route } = useLocation()
  const want = (next: EventQuery): void => route(withTenancy(addressOfPage('/ui/events', { ...next })), true)
  const tenancy = useTenancy()
  const [opened, setOpened] = useState<LineRow>()
  const start = useMemo(() => startOf(wanted.from, Date.now()), [JSON.stringify(wanted), tenancy])
  const lines = useLines(requestOf(wanted, start ?? undefined, hasMeta, tenancy))
  const { state, isHeld, hold, waiting, isFull } = lines
  const fault =
    typeof state === 'object' && 'refused' in state && state.status === 400 ? state.refused : undefined
  return (
    <main class="events">
      <header>
        <Heading>Events</Heading>
        <Button
          label={isHeld ? `Continue (${countText(waiting)} more)` : 'Pause'}
          act={() => hold(!isHeld)}
          class="at-end"
          aria-pressed={isHeld}
        />
      </header>
      <Choice
        label="Period"
        options={[['', 'Live'], ...PERIODS]}
        chosen={wanted.from}
        choose={from => want({ ...wanted, from })}
      />
      <Filters
        wanted={wanted}
        want={want}
        types={lines.types}
        failure={fault ?? (start === null ? INVALID_START : undefined)}
      />
      {fault === undefined && (
        <StreamNotice
          state={state}
          count={lines.count}
          what={['event', 'events']}
          more={missingOf(lines, hasMeta)}
        />
      )}
      {isFull && (
        <p role="status">
          The list is full. <Button label="Load the next events" act={lines.more} />
        </p>
      )}
      <List
        label="Events"
        columns={columnsOf(setOpened, start !== undefined)}
        listed={lines}
        onLeave={() => hold(true)}
      />
      {opened && <EventDetails key={opened.id} line={opened} close={() => setOpened(undefined)} />}
    </main>
  )
}

export const EventsPage = () => {
  const hasMeta = usePermission('read', 'operator', EVERYWHERE)
  const wanted = eventQueryIn(useLocation().query)
  return hasMeta === undefined ? null : <EventList wanted={wanted} hasMeta={hasMeta} />
}
