// All things of a kind that the token may see, as they are now.
import { useMemo, useState } from 'preact/hooks'
import { addressOf, fieldsOf, type Kind } from '../things/kinds.js'
import { folded, type Things } from '../things/fold.js'
import { useStream } from '../live/use-stream.js'
import { Rows } from '../parts/rows.js'
import { StreamNotice } from '../parts/stream-notice.js'

const NONE: Things = new Map()

export const ThingsPage = ({ kind }: { readonly kind: Kind }) => {
  const { topic, title, columns } = kind
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
  const rowOf = (index: number) => {
    const found = rows[index]
    if (!found) return null
    return found.cells.map((cell, at) => (
      <span role="cell" key={columns[at]?.title} title={cell}>
        {at === 0 ? <a href={addressOf(kind, found.event)}>{cell || found.event.Key}</a> : cell}
      </span>
    ))
  }
  return (
    <main style={{ '--columns': columns.length }}>
      <header>
        <h1>{title}</h1>
        <input
          type="search"
          id="search"
          placeholder="Search ( / )"
          aria-label={`Search in ${title}`}
          onInput={({ currentTarget }) => setWanted(currentTarget.value.toLowerCase())}
        />
      </header>
      <StreamNotice state={state} count={rows.length} what={title.toLowerCase()} />
      <div class="row head" aria-hidden="true">
        {columns.map(column => (
          <span key={column.title}>{column.title}</span>
        ))}
      </div>
      <Rows
        count={rows.length}
        label={title}
        row={rowOf}
        keyOf={index => rows[index]?.event.Key ?? String(index)}
      />
    </main>
  )
}
