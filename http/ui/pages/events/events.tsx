// The stream as it happens, newest first.
import { useMemo, useState } from 'preact/hooks'
import { useStream } from '../../live/use-stream.js'
import { Heading } from '../../parts/heading.js'
import { Rows, type Head } from '../../parts/rows.js'
import { StreamNotice } from '../../parts/stream-notice.js'
import { addressOf } from '../../things/kind.js'
import { kinds } from '../../things/kinds.js'
import { Narrator } from '../../things/words.js'
import { EventDetails } from './event-details.js'
import { Filters } from './filters.js'
import { ANYTHING, linesOf, matches, MOST, whoOf, withMore, type Line, type Shown } from './lines.js'

const NOTHING: Shown = { lines: [], dropped: 0 }

const HEAD: readonly Head[] = [
  { title: 'Index' },
  { title: 'Time', isWide: true },
  { title: 'Who', isWide: true },
  { title: 'Type' },
  { title: 'Key' },
  { title: 'What changed' },
  { title: 'Namespace', isWide: true }
]

const clock = (time: string | undefined): string =>
  time === undefined ? '' : new Date(time).toLocaleTimeString()

const LineCells = ({ line, open }: { readonly line: Line; readonly open: () => void }) => {
  const { Topic, Type, Key, Namespace, Index } = line.event
  const kind = kinds.find(({ topic }) => topic === Topic)
  return (
    <>
      <span role="cell" class="index">
        <button type="button" class="plain" onClick={open} aria-label={`Open event ${Index}: ${Type} ${Key}`}>
          {Index}
        </button>
      </span>
      <span role="cell" class="wide">
        <time title={line.origin?.Time}>{clock(line.origin?.Time)}</time>
      </span>
      <span role="cell" class="wide" title={line.origin?.AccessorID}>
        {whoOf(line.origin)}
      </span>
      <span role="cell" title={Type}>
        {Type}
      </span>
      <span role="cell" title={Key}>
        {kind ? <a href={addressOf(kind, line.event)}>{Key}</a> : Key}
      </span>
      <span role="cell" title={line.words}>
        {line.words}
      </span>
      <span role="cell" class="wide">
        {Namespace}
      </span>
    </>
  )
}

export const EventsPage = () => {
  const [live, setLive] = useState(NOTHING)
  const [paused, setPaused] = useState<Shown>()
  const [wanted, setWanted] = useState(ANYTHING)
  const [opened, setOpened] = useState<Line>()
  const [isTold, setIsTold] = useState(true)
  const narrator = useMemo(() => new Narrator(MOST), [])
  const options = useMemo(() => ({ topics: ['any'], namespace: '*', meta: isTold }), [isTold])
  const found = useStream(options, messages => {
    const more = messages.flatMap(message => linesOf(message, narrator))
    setLive(before => withMore(before, more))
  })
  // Who made a commit is for operators: others see the rest.
  const isTooMuch = isTold && typeof found === 'object' && 'refused' in found
  if (isTooMuch) setIsTold(false)
  const { lines } = paused ?? live
  const list = useMemo(() => lines.filter(line => matches(line, wanted)), [lines, wanted])
  const lineAt = (index: number): Line | undefined => list[list.length - 1 - index]
  const missed = paused ? live.lines.length + live.dropped - paused.lines.length - paused.dropped : 0
  const dropped = live.dropped > 0 ? `; ${live.dropped} older ones have left the page` : ''
  const untold = isTold ? '' : '; who made them, and when, is told to tokens with operator:read'
  return (
    <main class="events">
      <header>
        <Heading>Events</Heading>
        <Filters lines={lines} wanted={wanted} want={setWanted} />
        <button
          type="button"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused ? undefined : live)}
        >
          {paused ? `Go on (${missed} more)` : 'Pause'}
        </button>
      </header>
      <StreamNotice
        state={isTooMuch ? 'loading' : found}
        count={list.length}
        what={`events${dropped}${untold}`}
      />
      <Rows
        count={list.length}
        label="Events"
        head={HEAD}
        row={index => {
          const line = lineAt(index)
          return line ? <LineCells line={line} open={() => setOpened(line)} /> : null
        }}
        keyOf={index => lineAt(index)?.id ?? String(index)}
      />
      {opened && <EventDetails key={opened.id} line={opened} close={() => setOpened(undefined)} />}
    </main>
  )
}
