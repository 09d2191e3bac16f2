// Quantiles over time as two lines, drawn to the scale of the largest.
import { secondsText } from './formatters.js'

/** What came between two looks. */
export interface Point {
  /** Epoch ms of the later one. */
  readonly at: number
  readonly flushes: number
  /** In seconds; undefined where there were none. */
  readonly half: number | undefined
  readonly most: number | undefined
}

interface Props {
  readonly points: readonly Point[]
  /** How many have room. */
  readonly most: number
}

const WIDTH = 600
const HEIGHT = 120
const LEFT = 72
const BOTTOM = 22
/** Room for the word at the highest line. */
const TOP = 14

/** The least of 1, 2 and 5 times a power of ten that is not below. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5].find(step => step * power >= value) ?? 10) * power
}

/** A line for each run of points that have the value; one alone is a dot. */
const pathOf = (places: readonly (readonly [number, number] | undefined)[]): string =>
  places
    .map((place, at) => {
      if (!place) return ''
      const [x, y] = place
      return `${places[at - 1] ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${places[at - 1] ? '' : 'h0.1'}`
    })
    .join('')

export const FlushChart = ({ points, most }: Props) => {
  const top = roundUp(Math.max(0.001, ...points.map(point => point.most ?? 0)))
  const placeOf = (at: number, value: number | undefined) =>
    value === undefined
      ? undefined
      : ([
          LEFT + ((WIDTH - LEFT - 4) * (most - points.length + at)) / (most - 1),
          (HEIGHT - BOTTOM) * (1 - value / top) + TOP
        ] as const)
  const newest = points.findLast(({ half }) => half !== undefined)
  const text = newest
    ? `Newest: half within ${secondsText(newest.half ?? 0)}, 99 of 100 within ${secondsText(newest.most ?? 0)}`
    : 'No flush was seen yet.'
  return (
    <figure class="flushes">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + TOP}`} role="img" aria-label={`Time of flushes. ${text}`}>
        {[0, 0.5, 1].map(share => {
          const y = (HEIGHT - BOTTOM) * (1 - share) + TOP
          return (
            <g key={share}>
              <path class="grid" d={`M${LEFT} ${y}H${WIDTH}`} />
              <text x={LEFT - 6} y={y + 4} text-anchor="end">
                {secondsText(top * share)}
              </text>
            </g>
          )
        })}
        <path class="most" d={pathOf(points.map((point, at) => placeOf(at, point.most)))} />
        <path class="half" d={pathOf(points.map((point, at) => placeOf(at, point.half)))} />
        <text x={WIDTH} y={HEIGHT + TOP - 4} text-anchor="end">
          now
        </text>
      </svg>
      <figcaption>
        <span class="half">Half of the flushes</span> <span class="most">99 of 100</span> {text}
      </figcaption>
    </figure>
  )
}
