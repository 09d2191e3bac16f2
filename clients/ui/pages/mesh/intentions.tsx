import type { Schemas } from '../../../typescript/typed/index.js'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import {
  Button,
  Badge,
  CreateLink,
  Field,
  Guard,
  FilterField,
  List,
  type ListColumn,
  Refusal,
  SearchHeader,
  StreamNotice,
  SubmitForm,
  Table,
  SubmitButton
} from '../../design/index.js'
import { useTenancy } from '../../session/tenancy.js'
import { useBlockingQuery, useResponse } from '../../session/use-response.js'
import { addressWith } from '../../time-travel/as-of-state.js'
import {
  shortNameOf,
  destinationOf,
  idOf,
  formatIntention,
  sourceOf,
  type Intention,
  deciderOf,
  type Pair
} from './intention.js'
import { IntentionMatrix } from './intention-matrix.js'
import { IntentionForm } from './intention-form.js'
import type { Query } from '../../../typescript/connection.js'
import type { ColumnHead } from '../../resources/kind.js'

const HEAD = ['Decides', 'Source', 'Action', 'Precedence']

interface AnswerProps extends Pair {
  readonly query: Query
  /** Changes with the intentions. */
  readonly turn: number
}

const Answer = ({ source, destination, query, turn }: AnswerProps) => {
  const asked = { ...query, source, destination }
  const check = useResponse<Schemas['IntentionCheck']>('/v1/connect/intentions/check', asked, turn)
  const match = useResponse<Readonly<Record<string, readonly Intention[]>>>(
    '/v1/connect/intentions/match',
    { ...query, by: 'destination', name: destination },
    turn
  )
  const bearing = Object.values(match.value ?? {}).flat()
  const deciding = deciderOf(bearing)(source, destination)
  const isByRequest = (deciding?.Permissions?.length ?? 0) > 0
  return (
    <>
      <Refusal text={check.failure ?? match.failure} />
      {check.value && (
        <p role="status">
          <Badge tone={isByRequest ? 'warn' : check.value.Allowed ? 'good' : 'bad'}>
            {isByRequest ? 'by request' : check.value.Allowed ? 'allowed' : 'denied'}
          </Badge>{' '}
          {deciding
            ? `The intention from ${shortNameOf(sourceOf(deciding))} to ${shortNameOf(destinationOf(deciding))} decides: ${formatIntention(deciding)}.`
            : 'No intention that this token may read decides: the default policy does.'}
        </p>
      )}
      <Table
        label={`Intentions that bear on ${destination}`}
        head={HEAD}
        rows={bearing.map(each => [
          each === deciding ? 'yes' : '',
          shortNameOf(sourceOf(each)),
          formatIntention(each),
          each.Precedence
        ])}
      />
    </>
  )
}

const IntentionCheck = ({ query, turn }: { readonly query: Query; readonly turn: number }) => {
  const [source, setSource] = useState('')
  const [destination, setDestination] = useState('')
  const [asked, setAsked] = useState<Pair>()
  const submit = (): void => setAsked({ source: source.trim(), destination: destination.trim() })
  return (
    <details class="reach" open={asked !== undefined}>
      <summary>Check a connection</summary>
      <SubmitForm class="choices" failure={undefined} submit={submit}>
        <Field label="From" required placeholder="api" value={source} change={setSource} />
        <Field label="To" required placeholder="web" value={destination} change={setDestination} />
        <SubmitButton label="Check connection" />
      </SubmitForm>
      {asked && <Answer {...asked} query={query} turn={turn} />}
    </details>
  )
}

interface IntentionRow {
  readonly id: string
  readonly intention: Intention
}

const COLUMNS: readonly (ColumnHead & { readonly textOf: (intention: Intention) => string })[] = [
  { title: 'Source', width: 'minmax(5rem, 2fr)', textOf: each => shortNameOf(sourceOf(each)) },
  { title: 'Destination', width: 'minmax(5rem, 2fr)', textOf: each => shortNameOf(destinationOf(each)) },
  { title: 'Action', width: 'minmax(5rem, 3fr)', textOf: formatIntention },
  { title: 'Precedence', width: '7rem', isWide: true, textOf: each => String(each.Precedence) },
  { title: 'Description', width: 'minmax(6rem, 2fr)', isWide: true, textOf: each => each.Description ?? '' }
]

const columnsOf = (open: (opened: Opened) => void): readonly ListColumn<IntentionRow>[] =>
  COLUMNS.map(({ textOf, ...head }) => ({
    ...head,
    text: ({ intention }) => textOf(intention),
    cell: ({ intention }) => {
      const text = textOf(intention)
      if (head.title === 'Source')
        return <Button label={text} act={() => open({ intention, ...pairOf(intention) })} class="plain" />
      if (head.title !== 'Action' || (intention.Permissions?.length ?? 0) > 0) return text
      return <Badge tone={intention.Action === 'allow' ? 'good' : 'bad'}>{text}</Badge>
    }
  }))

const PATH = '/v1/connect/intentions'

const rowsOf = (all: readonly Intention[], search: string): readonly IntentionRow[] =>
  all
    .filter(intention =>
      COLUMNS.some(({ textOf }) => textOf(intention).toLowerCase().includes(search.trim().toLowerCase()))
    )
    .map(intention => ({ id: idOf(intention), intention }))

const pairOf = (intention: Intention): Pair => ({
  source: shortNameOf(sourceOf(intention)),
  destination: shortNameOf(destinationOf(intention))
})

/** An intention, or the names of one to create. */
interface Opened extends Pair {
  readonly intention?: Intention
}

interface ViewProps {
  readonly all: readonly Intention[]
  readonly search: string
  readonly isMatrix: boolean
  readonly open: (opened: Opened) => void
}

const IntentionsView = ({ all, search, isMatrix, open }: ViewProps) => {
  const rows = useMemo(() => rowsOf(all, search), [all, search])
  const find = (source: string, destination: string) =>
    all
      .map(intention => ({ intention, ...pairOf(intention) }))
      .find(each => each.source === source && each.destination === destination)
  if (isMatrix)
    return (
      <IntentionMatrix
        intentions={all}
        search={search}
        open={(source, destination) => open(find(source, destination) ?? { source, destination })}
      />
    )
  return (
    <>
      <StreamNotice
        state="live"
        count={rows.length}
        total={all.length}
        what={['intention', 'intentions']}
        about="An intention allows or denies connections from one service to another. The default policy decides all others. Reading one requires intention:read on its source or destination."
      />
      <List
        label="Intentions"
        columns={columnsOf(open)}
        listed={{ count: rows.length, rowAt: at => rows[at] }}
      />
    </>
  )
}

export const IntentionsPage = () => {
  const { url, query: address, route } = useLocation()
  const { query } = useTenancy()
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState('')
  const isMatrix = address['view'] === 'matrix'
  const [opened, setOpened] = useState<Opened>()
  const [turn, setTurn] = useState(0)
  const { value: all, failure } = useBlockingQuery<readonly Intention[]>(PATH, {
    ...query,
    filter: filter || undefined
  })
  useEffect(() => setTurn(before => before + 1), [all])
  const current =
    opened?.intention && all?.find(each => idOf(each) === (opened.intention && idOf(opened.intention)))
  const showMatrix = (): void => route(addressWith(url, 'view', isMatrix ? 'list' : 'matrix'), true)
  // Qualified names determine the namespace.
  const place = { ns: undefined, partition: query.partition }
  return (
    <main class="mesh">
      <SearchHeader
        title="Intentions"
        search={setSearch}
        action={
          <CreateLink
            what="intention"
            resource="intention"
            to={() => setOpened({ source: '', destination: '' })}
          />
        }
      >
        <Button label="Matrix" act={showMatrix} aria-pressed={isMatrix} />
      </SearchHeader>
      {opened && (current || !opened.intention) && (
        <Guard resource="intention" segment={current?.DestinationName ?? ''} place={place}>
          <IntentionForm
            key={JSON.stringify([opened.source, opened.destination])}
            intention={current}
            pair={opened}
            query={place}
            close={() => setOpened(undefined)}
          />
        </Guard>
      )}
      <FilterField
        example='DestinationName == "web"'
        failure={filter === '' ? undefined : failure}
        change={setFilter}
      />
      <IntentionCheck query={place} turn={turn} />
      {!all && failure === undefined && (
        <StreamNotice state="loading" count={0} what={['intention', 'intentions']} />
      )}
      {filter === '' && <Refusal text={failure} />}
      {all && <IntentionsView all={all} search={search} isMatrix={isMatrix} open={setOpened} />}
    </main>
  )
}
