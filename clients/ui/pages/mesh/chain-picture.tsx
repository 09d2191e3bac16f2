import { useId } from 'preact/hooks'
import { Table } from '../../design/table.js'
import { nameOf, chainPartsOf, waysOf, type Chain } from './chain.js'
import { layOut, lettersIn, MOST_LETTERS, typeOf, type Box, type Line } from './chain-layout.js'

const short = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

/** The offset of a label from the start of its line. */
const LABEL = { right: 6, up: 5 }

const Path = ({ line: { x, y, path, tip, label, isFailover } }: { readonly line: Line }) => (
  <g class={isFailover ? 'edge failover' : 'edge'}>
    <path d={path} />
    <path class="tip" d={`M${tip.x},${tip.y} l-7,-4 v8 z`} />
    {label !== '' && (
      <text x={x + LABEL.right} y={y - LABEL.up}>
        {short(label, MOST_LETTERS)}
        <title>{label}</title>
      </text>
    )}
  </g>
)

const Part = ({ box }: { readonly box: Box }) => {
  const middle = box.y + box.height / 2
  return (
    <g class={`box ${box.type}`}>
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={5} />
      <text class="type" x={box.x + 10} y={middle - 6}>
        {short(typeOf(box), lettersIn(box))}
      </text>
      <text x={box.x + 10} y={middle + 13}>
        {short(box.name, lettersIn(box))}
      </text>
      <title>{nameOf(box)}</title>
    </g>
  )
}

const HEAD = ['From', 'Requests', 'To']

export const ChainPicture = ({ chain, title }: { readonly chain: Chain; readonly title: string }) => {
  const { boxes, lines, width, height } = layOut(chain)
  const id = useId()
  const names = new Map(chainPartsOf(chain).map(part => [part.id, nameOf(part)]))
  const rows = waysOf(chain).map(({ from, to, label }) => [
    names.get(from) ?? from,
    label || 'all',
    names.get(to) ?? to
  ])
  return (
    <>
      <div class="picture" tabIndex={0} role="group" aria-label={title}>
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-desc`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-desc`}>
            {rows.map(([from, what, to]) => `${from}: ${what} to ${to}`).join('; ')}
          </desc>
          {lines.map(line => (
            <Path key={`${line.from} ${line.to} ${line.label}`} line={line} />
          ))}
          {boxes.map(box => (
            <Part key={box.id} box={box} />
          ))}
        </svg>
      </div>
      <details>
        <summary>Show as table</summary>
        <Table label={`${title} as a table`} head={HEAD} rows={rows} none="The chain has no targets." />
      </details>
    </>
  )
}
