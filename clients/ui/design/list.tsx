// A virtualised list: only rows near the viewport are in the document, columns sort it, and keys navigate it.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Sorting, Span } from '../live/worker/protocol.js'
import { isNarrow, useViewport } from './use-viewport.js'
import type { ColumnHead } from '../resources/kind.js'

/** Heights in pixels of the head and rows, as in the style sheets, and of cards: a line with one value, and a title with one and two lines of values. */
const [HEAD, ROW, LINE, CARD, HIGH_CARD] = [30, 30, 40, 58, 80]
/** Values that fit into a line of a card. */
const IN_LINE = 3
/** Rows rendered above and below the viewport, so that scrolling shows no gaps. */
const OVERSCAN = 12

export interface ListColumn<Row> extends ColumnHead {
  readonly cell: (row: Row) => ComponentChildren
  /** The tooltip of a cell, whose text may be truncated. */
  readonly text?: (row: Row) => string
}

/** A sequence of rows, such as the result of `useResources`. */
interface Listed<Row> {
  readonly count: number
  readonly rowAt: (place: number) => Row | undefined
  /** Receives the visible span. */
  readonly see?: (span: Span) => void
}

interface Props<Row extends { readonly id: string }> {
  readonly label: string
  readonly columns: readonly ListColumn<Row>[]
  readonly listed: Listed<Row>
  /** A hook that completes a visible row, such as by a request. */
  readonly useRow?: (row: Row) => Row
  readonly sorting?: Sorting
  /** Absent when the order is fixed. */
  readonly sortBy?: (column: number) => void
  /** Is called when the user leaves the top of the list. */
  readonly onLeave?: () => void
}

/** Returns the number of rows that a key moves by. @param page number of visible rows */
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
  readonly columns: readonly ColumnHead[]
  readonly sorting: Sorting | undefined
  readonly sortBy: ((column: number) => void) | undefined
}

const Head = ({ columns, sorting, sortBy }: HeadProps) => (
  <div role="rowgroup" class="head">
    <div role="row" aria-rowindex={1} class="row">
      {columns.map(({ title }, at) => {
        const direction = ariaSort(sorting, at)
        return (
          <span
            role="columnheader"
            key={title}
            class={classOf(columns, at)}
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

const same = <Row,>(row: Row): Row => row

/** Scrolls a list until a row is visible. */
const reveal = (box: HTMLElement, place: number, height: number): void => {
  if (place * height < box.scrollTop) box.scrollTop = place * height
  const end = (place + 1) * height - (box.clientHeight - HEAD)
  if (end > box.scrollTop) box.scrollTop = end
}

const rowsBetween = <Row,>({ count, rowAt }: Listed<Row>, first: number, last: number) =>
  Array.from({ length: Math.max(0, Math.min(count, last) - first) }, (_, at) => first + at).flatMap(place => {
    const row = rowAt(place)
    return row ? [{ row, place }] : []
  })

/** Returns the height of a row, which is a card on narrow screens. */
const heightFor = (columns: readonly ColumnHead[]): number => {
  if (!isNarrow.value) return ROW
  const values = columns.filter(({ isWide }) => !isWide).length - 1
  if (values === 1) return LINE
  return values > IN_LINE ? HIGH_CARD : CARD
}

const classOf = (columns: readonly ColumnHead[], at: number): string => {
  const title = Math.max(
    0,
    columns.findIndex(({ isTitle }) => isTitle)
  )
  return `${columns[at]?.isWide ? 'wide' : ''} ${at === title ? 'title' : ''}`
}

interface CellsProps<Row> {
  readonly columns: readonly ListColumn<Row>[]
  readonly row: Row
  readonly useRow: (row: Row) => Row
}

const Cells = <Row,>({ columns, row: place, useRow }: CellsProps<Row>) => {
  const row = useRow(place)
  return columns.map(({ title, cell, text }, at) => (
    <span role="gridcell" key={title} data-label={title} class={classOf(columns, at)} title={text?.(row)}>
      {cell(row)}
    </span>
  ))
}

/** Arrow keys, Page Up, Page Down, Home and End select a row. Enter presses its first link or button. */
export const List = <Row extends { readonly id: string }>(props: Props<Row>) => {
  const { label, columns, listed, useRow = same, sorting, sortBy, onLeave } = props
  const { count, see } = listed
  const box = useRef<HTMLDivElement>(null)
  const { top, height } = useViewport(box)
  const [chosen, setChosen] = useState<number>()
  const rowHeight = heightFor(columns)
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
  const last = Math.ceil((top + height) / rowHeight) + OVERSCAN
  useLayoutEffect(() => see?.({ first, last }), [first, last])
  useLayoutEffect(() => {
    if (top > 0) onLeave?.()
  }, [top > 0])
  const idOf = (place: number): string => `${label.replaceAll(/\W+/g, '-')}-row-${place}`
  const choose = (place: number): void => {
    const { current } = box
    if (!current) return
    setChosen(place)
    reveal(current, place, rowHeight)
  }
  const pressed = (event: KeyboardEvent): void => {
    const { key, target, currentTarget } = event
    // Links and buttons inside handle their own keys.
    if (target !== currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const step = stepOf(key, Math.max(1, Math.floor(height / rowHeight) - 2))
    if (step !== undefined && count > 0) {
      event.preventDefault()
      choose(Math.min(count - 1, Math.max(0, (chosen ?? -1) + step)))
      onLeave?.()
    }
    if (key !== 'Enter' || chosen === undefined) return
    const row = document.getElementById(idOf(chosen))
    row?.querySelector<HTMLElement>('a, button')?.click()
  }
  const rows = rowsBetween(listed, first, last)
  const isChosenShown = chosen !== undefined && rows.some(({ place }) => place === chosen)
  return (
    <div
      ref={box}
      class={rowHeight === LINE ? 'rows lines' : 'rows'}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-readonly="true"
      aria-activedescendant={isChosenShown ? idOf(chosen) : undefined}
      tabIndex={0}
      onKeyDown={pressed}
      style={{ '--tracks': columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ') }}
    >
      <Head columns={columns} sorting={sorting} sortBy={sortBy} />
      <div role="rowgroup" class="body" style={{ height: `${count * rowHeight}px` }}>
        {rows.map(({ row, place }) => (
          <div
            key={row.id}
            id={idOf(place)}
            role="row"
            aria-rowindex={place + 2}
            aria-selected={place === chosen}
            class="row"
            // A transform avoids a new layout of the surroundings.
            style={{ transform: `translateY(${place * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            <Cells columns={columns} row={row} useRow={useRow} />
          </div>
        ))}
      </div>
    </div>
  )
}
