// A discovery chain as a picture: what leads where, with weights, routes and failover.
import { layOut, type Box, type Chain } from './chain-layout.js'

/** In pixels. */
const BOX = { width: 200, height: 46 }
const GAP = { x: 90, y: 22 }

const left = ({ column }: Box): number => column * (BOX.width + GAP.x) + 1
const top = ({ row }: Box): number => row * (BOX.height + GAP.y) + 1

const MOST_LETTERS = 27

const short = (name: string): string =>
  name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name

export const ChainPicture = ({ chain, title }: { readonly chain: Chain; readonly title: string }) => {
  const { boxes, edges } = layOut(chain)
  const width = Math.max(...boxes.map(box => left(box) + BOX.width)) + 1
  const height = Math.max(...boxes.map(box => top(box) + BOX.height)) + 1
  const boxOf = (id: string): Box | undefined => boxes.find(box => box.id === id)
  const said = edges
    .map(({ from, to, label }) => [from, label, 'to', to].filter(Boolean).join(' '))
    .join('; ')
  return (
    <div class="picture" tabIndex={0} role="group" aria-label={title}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={said}>
        {edges.map(({ from, to, label, isFailover }) => {
          const [one, other] = [boxOf(from), boxOf(to)]
          if (!one || !other) return null
          const [x1, y1] = [left(one) + BOX.width, top(one) + BOX.height / 2]
          const [x2, y2] = [left(other), top(other) + BOX.height / 2]
          return (
            <g key={`${from} ${to} ${label}`} class={isFailover ? 'edge failover' : 'edge'}>
              <path d={`M${x1},${y1} C${x1 + GAP.x / 2},${y1} ${x2 - GAP.x / 2},${y2} ${x2},${y2}`} />
              <text x={x2 - 8} y={y2 - 5} text-anchor="end">
                {label}
              </text>
            </g>
          )
        })}
        {boxes.map(box => (
          <g key={box.id} class={`box ${box.type}`}>
            <rect x={left(box)} y={top(box)} width={BOX.width} height={BOX.height} rx={5} />
            <text class="type" x={left(box) + 10} y={top(box) + 17}>
              {box.type}
            </text>
            <text x={left(box) + 10} y={top(box) + 35}>
              {short(box.name)}
              <title>{box.name}</title>
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}
