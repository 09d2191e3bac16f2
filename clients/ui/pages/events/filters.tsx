import { useEffect, useState } from 'preact/hooks'
import { kinds } from '../../resources/kinds.js'
import type { EventQuery, EventQueryField } from './event-query.js'

interface Props {
  readonly wanted: EventQuery
  readonly want: (wanted: EventQuery) => void
  readonly types: readonly string[]
  readonly fault: { readonly field: EventQueryField; readonly text: string } | undefined
}

interface FieldProps {
  readonly field: EventQueryField
  readonly label: string
  readonly hint?: string
  readonly offers?: readonly string[]
}

const TOPICS = kinds.map(({ topic }) => topic).toSorted()
const STARTS = ['5m', '15m', '1h', '6h', '1d', '7d', 'beginning'] as const

const Field = ({ field, label, hint = '', offers, wanted, want, fault }: FieldProps & Props) => {
  const [text, setText] = useState(wanted[field])
  useEffect(() => setText(wanted[field]), [wanted[field]])
  const wrong = fault?.field === field ? fault.text : undefined
  return (
    <div class={`filter ${field}`}>
      <label for={`events-${field}`}>{label}</label>
      <input
        id={`events-${field}`}
        name={field}
        list={offers && `events-${field}-offers`}
        value={text}
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : `events-${field}-fault`}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => want({ ...wanted, [field]: currentTarget.value.trim() })}
      />
      {offers && (
        <datalist id={`events-${field}-offers`}>
          {offers.map(offer => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
      {wrong !== undefined && (
        <p id={`events-${field}-fault`} role="alert" class="refused">
          {wrong}
        </p>
      )}
    </div>
  )
}

/** A field applies on Enter and on blur. */
export const Filters = (props: Props) => (
  <form class="filters" role="search" aria-label="Filter events" onSubmit={event => event.preventDefault()}>
    <Field {...props} field="topic" label="Topic" hint="any" offers={TOPICS} />
    <Field {...props} field="key" label="Key" hint="any, or a folder/" />
    <Field {...props} field="type" label="Type" hint="any" offers={props.types} />
    <Field {...props} field="from" label="From" hint="now" offers={STARTS} />
    <Field {...props} field="filter" label="Filter" hint={'Key matches "^web"'} />
  </form>
)
