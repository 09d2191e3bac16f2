// Which events are listed: those of a topic, of a type, of a namespace, or with a text.
import type { Line, Wanted } from './lines.js'

interface Props {
  readonly lines: readonly Line[]
  readonly wanted: Wanted
  readonly want: (wanted: Wanted) => void
}

const FIELDS = ['Topic', 'Type', 'Namespace'] as const

/** Offers what there is among the events that came. */
export const Filters = ({ lines, wanted, want }: Props) => (
  <>
    {FIELDS.map(field => {
      const values = new Set(lines.map(({ event }) => event[field]))
      if (wanted[field] !== '') values.add(wanted[field])
      return (
        <select
          key={field}
          aria-label={field}
          value={wanted[field]}
          onChange={({ currentTarget }) => want({ ...wanted, [field]: currentTarget.value })}
        >
          <option value="">{field}: any</option>
          {[...values]
            .filter(value => value !== '')
            .toSorted((one, other) => one.localeCompare(other))
            .map(value => (
              <option key={value} value={value}>
                {value}
              </option>
            ))}
        </select>
      )
    })}
    <input
      type="search"
      id="search"
      placeholder="Search ( / )"
      aria-label="Search in events"
      onInput={({ currentTarget }) => want({ ...wanted, text: currentTarget.value.toLowerCase() })}
    />
  </>
)
