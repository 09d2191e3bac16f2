// Buttons for the usual periods before now.
const PERIODS = [
  ['15m', '15 min'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days']
] as const

interface Props {
  readonly chosen: string
  readonly choose: (age: string) => void
  /** The title of no period. */
  readonly none?: string
}

export const Presets = ({ chosen, choose, none }: Props) => (
  <div class="choices" role="group" aria-label="Period">
    {[...(none === undefined ? [] : [['', none] as const]), ...PERIODS].map(([age, title]) => (
      <button key={age} type="button" aria-pressed={chosen === age} onClick={() => choose(age)}>
        {title}
      </button>
    ))}
  </div>
)
