// The stream as it happens, newest first.
import { useMemo, useState } from 'preact/hooks'
import type { CommitOrigin, StreamedEvent } from '../../../client/stream-line.js'
import type { EventMessage } from '../../../client/events.js'
import { useStream } from '../live/use-stream.js'
import { Rows } from '../parts/rows.js'
import { StreamNotice } from '../parts/stream-notice.js'
import { kinds } from '../things/kinds.js'

/** Older events leave the page, which says how many did. */
const MOST = 20_000

interface Line {
  readonly event: StreamedEvent
  readonly origin: CommitOrigin | undefined
  readonly id: string
}

interface Shown {
  /** Oldest first. */
  readonly lines: readonly Line[]
  readonly dropped: number
}

const linesOf = ({ Events, Meta }: EventMessage): readonly Line[] =>
  Events.map((event, at) => ({ event, origin: Meta, id: `${event.Index}-${at}` }))

const withMore = ({ lines, dropped }: Shown, messages: readonly EventMessage[]): Shown => {
  const all = [...lines, ...messages.flatMap(linesOf)]
  const over = Math.max(0, all.length - MOST)
  return { lines: all.slice(over), dropped: dropped + over }
}

const matches = ({ event: { Topic, Type, Key, Namespace } }: Line, wanted: string): boolean =>
  [Topic, Type, Key, Namespace].some(text => text.toLowerCase().includes(wanted))

export const EventsPage = () => {
  const [{ lines, dropped }, setShown] = useState<Shown>({ lines: [], dropped: 0 })
  const [paused, setPaused] = useState<Shown>()
  const [wanted, setWanted] = useState('')
  const options = useMemo(() => ({ topics: ['any'], namespace: '*' }), [])
  const state = useStream(options, messages => setShown(before => withMore(before, messages)))
  const list = (paused?.lines ?? lines).filter(line => wanted === '' || matches(line, wanted))
  const lineAt = (index: number): Line | undefined => list[list.length - 1 - index]
  const rowOf = (index: number) => {
    const line = lineAt(index)
    if (!line) return null
    const { Topic, Type, Key, Namespace, Partition = '', Index } = line.event
    const kind = kinds.find(({ topic }) => topic === Topic)
    const query = new URLSearchParams({ key: Key, ns: Namespace, partition: Partition })
    return (
      <>
        <span role="cell" class="index">
          {Index}
        </span>
        <span role="cell">{Type}</span>
        <span role="cell">{kind ? <a href={`/ui/${kind.path}/one?${query}`}>{Key}</a> : Key}</span>
        <span role="cell">{Namespace}</span>
      </>
    )
  }
  return (
    <main style={{ '--columns': 4 }}>
      <header>
        <h1>Events</h1>
        <input
          type="search"
          id="search"
          placeholder="Search ( / )"
          aria-label="Search in events"
          onInput={({ currentTarget }) => setWanted(currentTarget.value.toLowerCase())}
        />
        <button
          type="button"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused ? undefined : { lines, dropped })}
        >
          {paused ? `Go on (${lines.length + dropped - paused.lines.length - paused.dropped} more)` : 'Pause'}
        </button>
      </header>
      <StreamNotice
        state={state}
        count={list.length}
        what={dropped > 0 ? `events; ${dropped} older ones have left the page` : 'events'}
      />
      <Rows
        count={list.length}
        label="Events"
        row={rowOf}
        keyOf={index => lineAt(index)?.id ?? String(index)}
      />
    </main>
  )
}
