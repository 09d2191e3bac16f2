// All things of a kind that the token may see, as they are now.
import { useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { addressOf, fieldsOf, type Kind } from '../things/kind.js'
import { below } from '../things/tree.js'
import { folded, type Things } from '../things/fold.js'
import { useStream } from '../live/use-stream.js'
import { Heading } from '../parts/heading.js'
import { Rows } from '../parts/rows.js'
import { StreamNotice } from '../parts/stream-notice.js'

const NONE: Things = new Map()

export const ThingsPage = ({ kind }: { readonly kind: Kind }) => {
  const { topic, title, columns, path, isTree } = kind
  const { under = '' } = useLocation().query
  const [things, setThings] = useState(NONE)
  const [wanted, setWanted] = useState('')
  const options = useMemo(() => ({ topics: [topic], snapshot: true, namespace: '*' }), [topic])
  const state = useStream(options, messages => setThings(before => folded(before, messages)))
  const rows = useMemo(
    () =>
      [...things.values()]
        .map(event => {
          const fields = fieldsOf(event.Payload)
          return { event, cells: columns.map(({ text }) => text(fields)) }
        })
        .filter(({ cells }) => wanted === '' || cells.some(cell => cell.toLowerCase().includes(wanted)))
        .toSorted((one, other) => (one.cells[0] ?? '').localeCompare(other.cells[0] ?? '')),
    [things, columns, wanted]
  )
  // Whoever searches looks into all folders.
  const { folders, leaves } = useMemo(
    () => (isTree && wanted === '' ? below(rows, under) : { folders: [], leaves: rows }),
    [rows, isTree, wanted, under]
  )
  const rowOf = (index: number) => {
    const folder = folders[index]
    if (folder)
      return (
        <>
          <span role="cell">
            <a href={`/ui/${path}?${new URLSearchParams({ under: folder.path })}`}>{folder.path}</a>
          </span>
          <span role="cell">{folder.count} in it</span>
        </>
      )
    const found = leaves[index - folders.length]
    if (!found) return null
    return found.cells.map((cell, at) => (
      <span role="cell" key={columns[at]?.title} title={cell}>
        {at === 0 ? <a href={addressOf(kind, found.event)}>{cell || found.event.Key}</a> : cell}
      </span>
    ))
  }
  return (
    <main>
      <header>
        <Heading>{title}</Heading>
        <input
          type="search"
          id="search"
          placeholder="Search ( / )"
          aria-label={`Search in ${title}`}
          onInput={({ currentTarget }) => setWanted(currentTarget.value.toLowerCase())}
        />
      </header>
      {under !== '' && (
        <nav aria-label="Path">
          <a href={`/ui/${path}`}>All {title.toLowerCase()}</a>
          {under
            .slice(0, -1)
            .split('/')
            .map((name, at, names) => {
              const to = `${names.slice(0, at + 1).join('/')}/`
              return (
                <span key={to}>
                  {' / '}
                  <a href={`/ui/${path}?${new URLSearchParams({ under: to })}`}>{name}</a>
                </span>
              )
            })}
        </nav>
      )}
      <StreamNotice state={state} count={rows.length} what={title.toLowerCase()} />
      <Rows
        count={folders.length + leaves.length}
        label={title}
        head={columns}
        row={rowOf}
        keyOf={index => folders[index]?.path ?? leaves[index - folders.length]?.event.Key ?? String(index)}
      />
    </main>
  )
}
