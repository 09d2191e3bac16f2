// All things of a kind that the token may see, as they are now.
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useTenancy } from '../session/tenancy.js'
import { addressOf, type Kind } from '../things/kind.js'
import { useThings } from '../live/use-things.js'
import type { ThingRow } from '../live/worker/protocol.js'
import { Heading } from '../parts/heading.js'
import { List } from '../parts/list.js'
import { StreamNotice } from '../parts/stream-notice.js'

/** The folders that a folder is in, each with a link to it. */
const Folders = ({ kind: { path, title }, under }: { readonly kind: Kind; readonly under: string }) => {
  const names = under.slice(0, -1).split('/')
  return (
    <nav aria-label="Path">
      <a href={`/ui/${path}`}>All {title.toLowerCase()}</a>
      {names.map((name, at) => {
        const to = `${names.slice(0, at + 1).join('/')}/`
        return (
          <span key={to}>
            {' / '}
            <a href={`/ui/${path}?${new URLSearchParams({ under: to })}`}>{name}</a>
          </span>
        )
      })}
    </nav>
  )
}

/** Where a row leads: to its thing, or to the folder that it stands for. */
const linkOf = (kind: Kind, { state, event }: ThingRow): string => {
  if ('folder' in state && typeof state.folder === 'string' && state.folder !== '')
    return `/ui/${kind.path}?${new URLSearchParams({ under: state.folder })}`
  return addressOf(kind, event)
}

export const ThingsPage = ({ kind }: { readonly kind: Kind }) => {
  const { title, columns, path, isTree } = kind
  const { under = '', search: asked = '' } = useLocation().query
  const [search, setSearch] = useState(asked)
  useEffect(() => setSearch(asked), [asked])
  // Whoever searches looks into all folders.
  const scope = isTree && search.trim() !== '' ? '*' : under
  const { ofStream } = useTenancy()
  const things = useThings({ listing: path, search, scope, ...ofStream })
  return (
    <main>
      <header>
        <Heading>{title}</Heading>
        <input
          type="search"
          id="search"
          placeholder="Search ( / )"
          aria-label={`Search in ${title}`}
          defaultValue={asked}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </header>
      {under !== '' && <Folders kind={kind} under={under} />}
      <StreamNotice
        state={things.state}
        count={things.count}
        total={things.total}
        what={title.toLowerCase()}
      />
      <List
        label={title}
        columns={columns}
        listed={things}
        sorting={things.sorting}
        sortBy={things.sortBy}
        titleOf={({ cells }, column) => cells[column] ?? ''}
        cell={(row, column) => {
          const text = row.cells[column]
          return column === 0 ? <a href={linkOf(kind, row)}>{text || row.event.Key}</a> : text
        }}
      />
    </main>
  )
}
