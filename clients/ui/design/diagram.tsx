// Boxes and the lines between them, in layers. It fits its frame at any width, and is zoomed and panned by buttons, wheel, pointer and keys.
import { Graph, layout, type EdgeLabel, type NodeLabel } from '@dagrejs/dagre'
import { curveBasis, line as curve } from 'd3-shape'
import { Maximize, ZoomIn, ZoomOut } from 'lucide'
import { useId, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { withAsOf } from '../time-travel/as-of-state.js'
import { Button } from './button.js'
import { isNarrow } from './use-viewport.js'

/** How two states of a diagram differ. */
export type Mark = 'added' | 'removed' | 'changed'

export interface DiagramBox {
  readonly id: string
  /** Above the name. */
  readonly type: string
  readonly name: string
  /** The page that the box opens. */
  readonly href?: string | undefined
  readonly mark?: Mark | undefined
  readonly isMain?: boolean
}

export interface DiagramLine {
  readonly from: string
  readonly to: string
  readonly label: string
  readonly isDashed?: boolean
  readonly mark?: Mark | undefined
}

interface Props {
  readonly title: string
  readonly boxes: readonly DiagramBox[]
  readonly lines: readonly DiagramLine[]
}

/** In pixels. */
const PER_LETTER = 7
const HEIGHT = 46
const MAX_LETTERS = 28
const MARGIN = 4
const ZOOM = 1.4
const PAN = 60

const short = (text: string): string =>
  text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS - 1)}…` : text

const widthOf = (...texts: readonly string[]): number =>
  Math.max(...texts.map(text => short(text).length)) * PER_LETTER

const keyOf = ({ from, to, label, mark }: DiagramLine): string => JSON.stringify([from, to, label, mark])

/** Places boxes and lines, from left to right or, on narrow screens, from top to bottom. */
const placed = ({ boxes, lines }: Props, isVertical: boolean) => {
  const graph = new Graph<object, NodeLabel, EdgeLabel>({ multigraph: true })
  graph.setGraph({
    rankdir: isVertical ? 'TB' : 'LR',
    ranksep: isVertical ? 24 : 40,
    nodesep: 18,
    edgesep: 14,
    marginx: MARGIN,
    marginy: MARGIN
  })
  for (const { id, type, name } of boxes)
    graph.setNode(id, { width: Math.max(80, widthOf(type, name) + 22), height: HEIGHT })
  for (const each of lines)
    graph.setEdge(
      each.from,
      each.to,
      {
        width: each.label === '' ? 0 : widthOf(each.label) + 8,
        height: each.label === '' ? 0 : 18,
        labelpos: 'c'
      },
      keyOf(each)
    )
  layout(graph)
  return {
    graph,
    width:
      Math.max(...boxes.map(({ id }) => (graph.node(id)?.x ?? 0) + (graph.node(id)?.width ?? 0) / 2)) +
      MARGIN,
    height: Math.max(...boxes.map(({ id }) => graph.node(id)?.y ?? 0)) + HEIGHT / 2 + 14
  }
}

const pathOf = curve<{ readonly x: number; readonly y: number }>(
  ({ x }) => x,
  ({ y }) => y
).curve(curveBasis)

const Line = ({
  line,
  place: { points = [], x, y }
}: {
  readonly line: DiagramLine
  readonly place: EdgeLabel
}) => {
  const [before, tip] = [points.at(-2), points.at(-1)]
  if (!before || !tip) return null
  const angle = (Math.atan2(tip.y - before.y, tip.x - before.x) * 180) / Math.PI
  return (
    <g class={`edge ${line.isDashed ? 'dashed' : ''} ${line.mark ?? ''}`}>
      <path d={pathOf(points) ?? ''} />
      <path class="tip" d="M0,0 l-8,-4 v8 z" transform={`translate(${tip.x} ${tip.y}) rotate(${angle})`} />
      {line.label !== '' && (
        <text x={x} y={(y ?? 0) + 4} text-anchor="middle">
          {short(line.label)}
          {short(line.label) !== line.label && <title>{line.label}</title>}
        </text>
      )}
    </g>
  )
}

const Box = ({
  box,
  place: { x = 0, y = 0, width }
}: {
  readonly box: DiagramBox
  readonly place: NodeLabel
}) => {
  const { route } = useLocation()
  const { type, name, href, mark, isMain } = box
  const left = x - width / 2
  const content = (
    <g class={`box ${mark ?? ''} ${isMain ? 'main' : ''}`}>
      <rect x={left} y={y - HEIGHT / 2} width={width} height={HEIGHT} rx={5} />
      <text class="type" x={left + 10} y={y - 5}>
        {short(type)}
      </text>{' '}
      <text x={left + 10} y={y + 14}>
        {short(name)}
      </text>
      {mark && <title>{mark}</title>}
      {short(name) !== name && <title>{name}</title>}
    </g>
  )
  if (href === undefined) return content
  const open = (event: MouseEvent): void => {
    // The router follows links of HTML alone.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    route(withAsOf(href))
  }
  return (
    <a href={href} onClick={open}>
      {content}
    </a>
  )
}

const BUTTONS = [
  ['Zoom in', ZoomIn, '+'],
  ['Zoom out', ZoomOut, '-'],
  ['Fit', Maximize, '0']
] as const

const FIT = { x: 0, y: 0, scale: 1 }

/** Returns the visible part of a diagram, and what moves it. @param unit screen pixels in a pixel of the diagram */
const useView = (width: number, height: number, unit: () => number) => {
  const [view, setView] = useState(FIT)
  const zoom = (by: number): void =>
    setView(({ x, y, scale }) => {
      const next = Math.min(8, Math.max(1, scale * by))
      const centre = 0.5 / scale - 0.5 / next
      return next === 1 ? FIT : { x: x + width * centre, y: y + height * centre, scale: next }
    })
  const pan = (right: number, down: number): void =>
    setView(({ x, y, scale }) => ({ x: x + right / scale / unit(), y: y + down / scale / unit(), scale }))
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(ZOOM),
    '-': () => zoom(1 / ZOOM),
    '0': () => setView(FIT),
    ArrowLeft: () => pan(-PAN, 0),
    ArrowRight: () => pan(PAN, 0),
    ArrowUp: () => pan(0, -PAN),
    ArrowDown: () => pan(0, PAN)
  }
  const { x, y, scale } = view
  return { zoom, pan, keys, box: `${x} ${y} ${width / scale} ${height / scale}` }
}

const Picture = (props: Props) => {
  const { title, boxes, lines } = props
  const { graph, width, height } = useMemo(
    () => placed(props, isNarrow.value),
    [boxes, lines, isNarrow.value]
  )
  const frame = useRef<SVGSVGElement>(null)
  const id = useId()
  const view = useView(width, height, () => (frame.current?.clientWidth ?? width) / width)
  const names = new Map(boxes.map(({ id: box, type, name }) => [box, `${type} ${name}`]))
  return (
    <div class="picture">
      <p class="actions" role="group" aria-label="Zoom">
        {BUTTONS.map(([label, icon, key]) => (
          <Button
            key={key}
            label={label}
            icon={icon}
            isIcon
            act={() => view.keys[key]?.()}
            title={`${label} ( ${key} )`}
          />
        ))}
      </p>
      <svg
        ref={frame}
        viewBox={view.box}
        style={{ maxWidth: `${width}px`, aspectRatio: `${width} / ${height}` }}
        role="group"
        tabIndex={0}
        onKeyDown={event => {
          const act = event.target === event.currentTarget ? view.keys[event.key] : undefined
          if (!act) return
          event.preventDefault()
          act()
        }}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-desc`}
        onPointerMove={({ buttons, movementX, movementY }) => {
          if (buttons === 1) view.pan(-movementX, -movementY)
        }}
        onWheel={event => {
          if (!event.ctrlKey) return
          event.preventDefault()
          view.zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM)
        }}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>
          {lines.map(({ from, to, label }) => `${names.get(from)}: ${label} to ${names.get(to)}`).join('; ')}
        </desc>
        {lines.map(line => (
          <Line key={keyOf(line)} line={line} place={graph.edge(line.from, line.to, keyOf(line))} />
        ))}
        {boxes.map(box => (
          <Box key={box.id} box={box} place={graph.node(box.id)} />
        ))}
      </svg>
    </div>
  )
}

export const Diagram = (props: Props) => (props.boxes.length === 0 ? null : <Picture {...props} />)
