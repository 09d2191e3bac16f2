// A grid of marks for pairs of names. Only visible cells are in the document, whatever the number of names.
import { useRef, useState } from 'preact/hooks'
import { useViewport } from './use-viewport.js'

/** Sizes in pixels, as in `style/mesh.css`. */
const CELL = 28
const NAMES = 160
const HEAD = 120
const OVERSCAN = 3

export interface MatrixMark {
  /** A sign that differs by shape. */
  readonly sign: string
  readonly tone: 'good' | 'bad' | 'warn' | ''
  readonly text: string
}

interface Props {
  readonly label: string
  readonly rows: readonly string[]
  readonly columns: readonly string[]
  readonly markOf: (row: string, column: string) => MatrixMark
  readonly open: (row: string, column: string) => void
}

interface Place {
  readonly name: string
  readonly place: number
}

/** Returns the names near the visible part. */
const shown = (names: readonly string[], scrolled: number, size: number): readonly Place[] => {
  const first = Math.max(0, Math.floor(scrolled / CELL) - OVERSCAN)
  return names
    .slice(first, Math.ceil((scrolled + size) / CELL) + OVERSCAN)
    .map((name, place) => ({ name, place: first + place }))
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1]
}

const clamped = (value: number, count: number): number => Math.min(count - 1, Math.max(0, value))

const at = (row: number): string => `translateY(${HEAD + row * CELL}px)`
const across = (column: number): string => `translateX(${NAMES + column * CELL}px)`
const idOf = (row: number, column: number): string => `matrix-${row}-${column}`

type Cell = readonly [row: number, column: number]

interface RowProps extends Pick<Props, 'markOf' | 'open'> {
  readonly row: string
  readonly place: number
  readonly columns: readonly Place[]
  readonly chosen: Cell | undefined
}

const Row = ({ row, place, columns, chosen, markOf, open }: RowProps) => (
  <div role="row" aria-rowindex={place + 2} class="matrix-row" style={{ transform: at(place) }}>
    <span role="rowheader" aria-colindex={1} title={row}>
      {row}
    </span>
    {columns.map(column => {
      const { sign, tone, text } = markOf(row, column.name)
      return (
        <span
          key={column.name}
          id={idOf(place, column.place)}
          role="gridcell"
          aria-colindex={column.place + 2}
          aria-selected={chosen?.[0] === place && chosen[1] === column.place}
          aria-label={`${row} to ${column.name}: ${text}`}
          title={`${row} → ${column.name}: ${text}`}
          class={`mark ${tone}`}
          style={{ transform: across(column.place) }}
          onClick={() => open(row, column.name)}
        >
          {sign}
        </span>
      )
    })}
  </div>
)

/** Arrow keys select a cell, and Enter opens it. */
export const Matrix = ({ label, rows, columns, markOf, open }: Props) => {
  const box = useRef<HTMLDivElement>(null)
  const { top, left, width, height } = useViewport(box)
  const [chosen, setChosen] = useState<Cell>()
  const shownColumns = shown(columns, left, width)
  const choose = (row: number, column: number): void => {
    setChosen([row, column])
    box.current?.scrollTo({
      top: Math.min(row * CELL, Math.max(top, HEAD + (row + 1) * CELL - height)),
      left: Math.min(column * CELL, Math.max(left, NAMES + (column + 1) * CELL - width))
    })
  }
  const press = (event: KeyboardEvent): void => {
    const { key, target, currentTarget } = event
    const [down, right] = STEPS[key] ?? []
    if (target !== currentTarget || rows.length === 0) return
    if (down !== undefined && right !== undefined) {
      event.preventDefault()
      const [row, column] = chosen ?? [-down, -right]
      choose(clamped(row + down, rows.length), clamped(column + right, columns.length))
    }
    const [source, destination] = chosen ? [rows[chosen[0]], columns[chosen[1]]] : []
    if (key === 'Enter' && source !== undefined && destination !== undefined) open(source, destination)
  }
  return (
    <div
      ref={box}
      class="matrix"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={chosen && idOf(...chosen)}
      onKeyDown={press}
    >
      <div
        role="rowgroup"
        style={{ width: `${NAMES + columns.length * CELL}px`, height: `${HEAD + rows.length * CELL}px` }}
      >
        <div role="row" aria-rowindex={1} class="matrix-head">
          <span role="columnheader" aria-colindex={1} class="corner">
            Source ↓ to →
          </span>
          {shownColumns.map(({ name, place }) => (
            <span
              key={name}
              role="columnheader"
              aria-colindex={place + 2}
              title={name}
              style={{ transform: across(place) }}
            >
              {name}
            </span>
          ))}
        </div>
        {shown(rows, top, height).map(({ name, place }) => (
          <Row key={name} row={name} columns={shownColumns} {...{ place, chosen, markOf, open }} />
        ))}
      </div>
    </div>
  )
}
