// Who may connect to whom: all intentions that the token may see, those that decide first on top, live.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Badge } from '../../components/badge.js'
import { FilterField } from '../../components/filter-field.js'
import { Heading } from '../../components/heading.js'
import { List, type ListColumn } from '../../components/list.js'
import { Refusal } from '../../components/refusal.js'
import { SearchInput } from '../../components/search-input.js'
import { StreamNotice } from '../../components/stream-notice.js'
import { useTenancy } from '../../session/tenancy.js'
import { useBlockingQuery } from '../../session/use-blocking-query.js'
import { finder } from '../../resources/search.js'
import { shortNameOf, destinationOf, idOf, formatIntention, sourceOf, type Intention } from './intention.js'
import { IntentionForm } from './intention-form.js'
import { IntentionCheck } from './intention-check.js'

const COLUMNS: readonly ListColumn[] = [
  { title: 'Source', width: 'minmax(5rem, 2fr)' },
  { title: 'Destination', width: 'minmax(5rem, 2fr)' },
  { title: 'Says', width: 'minmax(5rem, 3fr)' },
  { title: 'Precedence', width: '7rem', isWide: true },
  { title: 'Description', width: 'minmax(6rem, 2fr)', isWide: true }
]

const textsOf = (intention: Intention): readonly string[] => [
  shortNameOf(sourceOf(intention)),
  shortNameOf(destinationOf(intention)),
  formatIntention(intention),
  String(intention.Precedence),
  intention.Description ?? ''
]

const textsIn = ({ texts }: { readonly texts: readonly string[] }): readonly string[] => texts

const Says = ({ intention }: { readonly intention: Intention }) => {
  if ((intention.Permissions?.length ?? 0) > 0) return formatIntention(intention)
  return <Badge tone={intention.Action === 'allow' ? 'good' : 'bad'}>{intention.Action}</Badge>
}

const see = (): void => {}

const PATH = '/v1/connect/intentions'

export const IntentionsPage = () => {
  const { find = '' } = useLocation().query
  const { query } = useTenancy()
  const [wanted, setWanted] = useState(find)
  const [filter, setFilter] = useState('')
  const [opened, setOpened] = useState<string>()
  const [turn, setTurn] = useState(0)
  const { value: all, failure } = useBlockingQuery<readonly Intention[]>(PATH, {
    ...query,
    filter: filter || undefined
  })
  useEffect(() => setTurn(before => before + 1), [all])
  const rows = useMemo(() => {
    const holds = finder(wanted, textsIn)
    return (all ?? [])
      .map(intention => ({ id: idOf(intention), intention, texts: textsOf(intention) }))
      .filter(row => holds(row))
  }, [all, wanted])
  const open = rows.find(({ id }) => id === opened)
  // What names a namespace itself is asked of that one.
  const { ns: _ns, ...place } = query
  return (
    <main class="mesh intentions">
      <header>
        <Heading>Intentions</Heading>
        <button type="button" onClick={() => setOpened('new')}>
          New intention
        </button>
        <SearchInput label="Intentions" value={wanted} change={setWanted} />
      </header>
      <FilterField
        example='DestinationName == "web"'
        failure={filter === '' ? undefined : failure}
        change={setFilter}
      />
      <IntentionCheck query={place} turn={turn} />
      {failure === undefined ? (
        <StreamNotice
          state={all ? 'live' : 'loading'}
          count={rows.length}
          total={all?.length ?? 0}
          what={['intention', 'intentions']}
        />
      ) : (
        filter === '' && <Refusal text={failure} />
      )}
      <List
        label="Intentions"
        columns={COLUMNS}
        listed={{ count: rows.length, rowAt: at => rows[at], see }}
        titleOf={({ texts }, column) => texts[column] ?? ''}
        cell={({ id, intention, texts }, column) => {
          if (column === 2) return <Says intention={intention} />
          if (column > 0) return texts[column]
          return (
            <button type="button" class="plain" onClick={() => setOpened(id)}>
              {texts[0]}
            </button>
          )
        }}
      />
      {(open ?? opened === 'new') && (
        <IntentionForm
          key={opened}
          intention={open?.intention}
          query={place}
          close={() => setOpened(undefined)}
        />
      )}
    </main>
  )
}
