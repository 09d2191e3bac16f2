// A line chart whose axes follow the values: <Chart label="Commits" series={[{ title: 'per minute', values }]} format={String} />
import { max, nice, ticks } from 'd3-array'
import { area, line } from 'd3-shape'

/** The labels of ticks fit to the left also on narrow screens, where their text is larger. */
const [WIDTH, LEFT, TOP] = [600, 76, 14]
/** The height of a tick, whose label is larger on narrow screens. */
const TICK = 50

interface Series {
  readonly title: string
  /** Oldest first; undefined leaves a gap. */
  readonly values: readonly (number | undefined)[]
}

interface Props {
  /** Says in words what the lines show. */
  readonly label: string
  /** At most two, which differ in colour and dashes. The first is filled if it is the only one. */
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** Number of points that the width has place for; the newest value is at the end. */
  readonly points: number
  /** The least value of the highest tick. */
  readonly least: number
  /** Of 600 parts of the width. */
  readonly height?: number
}

export const Chart = ({ label, series, format, points, least, height: full = 110 }: Props) => {
  const highest = Math.max(least, ...series.map(({ values }) => max(values, value => value) ?? 0))
  const [, top] = nice(0, highest, full / TICK)
  const y = (value: number): number => TOP + full * (1 - value / top)
  const lineOf = ({ values }: Series) => {
    const x = (_: unknown, at: number): number =>
      LEFT + ((WIDTH - LEFT - 4) * (points - values.length + at)) / (points - 1)
    const isDefined = (value: number | undefined): boolean => value !== undefined
    const height = (value: number | undefined): number => y(value ?? 0)
    return {
      stroke: line<number | undefined>(x, height).defined(isDefined)(values) ?? '',
      fill: area<number | undefined>(x, y(0), height).defined(isDefined)(values) ?? ''
    }
  }
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${TOP + full + 6}`} role="img" aria-label={label}>
        {ticks(0, top, full / TICK).map(tick => (
          <g key={tick}>
            <path class="grid" d={`M${LEFT} ${y(tick)}H${WIDTH}`} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {series.map((each, at) => (
          <g key={each.title} class={at === 0 ? 'first' : 'second'}>
            {series.length === 1 && <path class="area" d={lineOf(each).fill} />}
            <path d={lineOf(each).stroke} />
          </g>
        ))}
      </svg>
      <figcaption>
        {series.length > 1 &&
          series.map(({ title }, at) => (
            <span key={title} class={at === 0 ? 'first' : 'second'}>
              {title}
            </span>
          ))}
        {label}
      </figcaption>
    </figure>
  )
}
