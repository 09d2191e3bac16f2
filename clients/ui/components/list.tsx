// A long list under a head: only rows in view are in the page, columns sort it, and keys go through it.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Sorting, Span } from '../live/worker/protocol.js'

/** Height of a row, and of the head, in pixels; `style/content.css` has it too. */
const HEIGHT = 30
/** Rows above and below those in view, so that scrolling shows no gaps. */
const BEYOND = 20

export interface ListColumn {
  readonly title: string
  /** How broad it is, as a track of a grid; as the others when absent. */
  readonly width?: string
  /** Whether it is only shown where there is room. */
  readonly isWide?: boolean
}

/** What is listed, such as the answer of `useThings`. */
interface Listed<Row> {
  readonly count: number
  readonly rowAt: (place: number) => Row | undefined
  readonly see: (span: Span) => void
}

interface Props<Row extends { readonly id: string }> {
  readonly label: string
  readonly columns: readonly ListColumn[]
  readonly listed: Listed<Row>
  /** What stands in a column of a row. */
  readonly cell: (row: Row, column: number) => ComponentChildren
  /** The text of a column that is cut where there is no room. */
  readonly titleOf?: (row: Row, column: number) => string
  readonly sorting?: Sorting
  /** Absent where the order is what it is. */
  readonly sortBy?: (column: number) => void
  /** Is told when somebody leaves the beginning of the list. */
  readonly onLeave?: () => void
}

/** How far a key goes. @param page rows in view */
const stepOf = (key: string, page: number): number | undefined =>
  new Map([
    ['ArrowDown', 1],
    ['ArrowUp', -1],
    ['PageDown', page],
    ['PageUp', -page],
    ['Home', -Infinity],
    ['End', Infinity]
  ]).get(key)

const ariaSort = (sorting: Sorting | undefined, column: number): 'ascending' | 'descending' | 'none' => {
  if (sorting?.column !== column) return 'none'
  return sorting.isDescending ? 'descending' : 'ascending'
}

const MARKS = { ascending: ' ↑', descending: ' ↓', none: '' } as const

interface HeadProps {
  readonly columns: readonly ListColumn[]
  readonly sorting: Sorting | undefined
  readonly sortBy: ((column: number) => void) | undefined
}

const Head = ({ columns, sorting, sortBy }: HeadProps) => (
  <div role="rowgroup" class="head">
    <div role="row" aria-rowindex={1} class="row">
      {columns.map(({ title, isWide }, at) => {
        const direction = ariaSort(sorting, at)
        return (
          <span
            role="columnheader"
            key={title}
            class={isWide ? 'wide' : ''}
            aria-sort={sortBy ? direction : undefined}
          >
            {sortBy ? (
              <button type="button" class="sorter" onClick={() => sortBy(at)}>
                {title}
                <span aria-hidden="true">{MARKS[direction]}</span>
              </button>
            ) : (
              title
            )}
          </span>
        )
      })}
    </div>
  </div>
)

/** Its rows are chosen by the keys of arrows and pages, Home and End, and opened by Enter: that presses their first link or button. */
export const List = <Row extends { readonly id: string }>(props: Props<Row>) => {
  const { label, columns, listed, cell, titleOf, sorting, sortBy, onLeave } = props
  const { count, rowAt, see } = listed
  const box = useRef<HTMLDivElement>(null)
  const [{ top, height }, setView] = useState({ top: 0, height: 0 })
  const [chosen, setChosen] = useState<number>()
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const look = (): void => setView({ top: current.scrollTop, height: current.clientHeight - HEIGHT })
    const sized = new ResizeObserver(look)
    sized.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      sized.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [])
  const first = Math.max(0, Math.floor(top / HEIGHT) - BEYOND)
  const last = Math.ceil((top + height) / HEIGHT) + BEYOND
  useLayoutEffect(() => see({ first, last }), [first, last])
  const isAway = top > 0
  useLayoutEffect(() => {
    if (isAway) onLeave?.()
  }, [isAway])
  const idOf = (place: number): string => `${label.replaceAll(/\W+/g, '-')}-row-${place}`
  const choose = (place: number): void => {
    const { current } = box
    if (!current) return
    setChosen(place)
    if (place * HEIGHT < current.scrollTop) current.scrollTop = place * HEIGHT
    const end = (place + 1) * HEIGHT - (current.clientHeight - HEIGHT)
    if (end > current.scrollTop) current.scrollTop = end
  }
  const pressed = (event: KeyboardEvent): void => {
    const { key, target, currentTarget } = event
    // Links and buttons within have keys of their own.
    if (target !== currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const step = stepOf(key, Math.max(1, Math.floor(height / HEIGHT) - 1))
    if (step !== undefined && count > 0) {
      event.preventDefault()
      choose(Math.min(count - 1, Math.max(0, (chosen ?? -1) + step)))
      onLeave?.()
    }
    if (key !== 'Enter' || chosen === undefined) return
    const row = document.getElementById(idOf(chosen))
    row?.querySelector<HTMLElement>('a, button')?.click()
  }
  const places = Array.from({ length: Math.max(0, Math.min(count, last) - first) }, (_, at) => first + at)
  const rows = places.flatMap(place => {
    const row = rowAt(place)
    return row ? [{ row, place }] : []
  })
  const isChosenShown = chosen !== undefined && rows.some(({ place }) => place === chosen)
  const tracks = columns.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ')
  const narrow = columns.filter(({ isWide }) => !isWide).map(({ width }) => width ?? 'minmax(0, 1fr)')
  return (
    <div
      ref={box}
      class="rows"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-readonly="true"
      aria-activedescendant={isChosenShown ? idOf(chosen) : undefined}
      tabIndex={0}
      onKeyDown={pressed}
      style={{ '--tracks': tracks, '--narrow-tracks': narrow.join(' '), '--columns': narrow.length }}
    >
      <Head columns={columns} sorting={sorting} sortBy={sortBy} />
      <div role="rowgroup" class="body" style={{ height: `${count * HEIGHT}px` }}>
        {rows.map(({ row, place }) => (
          <div
            key={row.id}
            id={idOf(place)}
            role="row"
            aria-rowindex={place + 2}
            aria-selected={place === chosen}
            class="row"
            // Moved so, nothing around it has to be laid out anew.
            style={{ transform: `translateY(${place * HEIGHT}px)` }}
          >
            {columns.map(({ title, isWide }, at) => (
              <span role="gridcell" key={title} class={isWide ? 'wide' : ''} title={titleOf?.(row, at)}>
                {cell(row, at)}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
