import { Field, SubmitForm } from '../../design/index.js'
import { kinds } from '../../resources/kinds.js'
import type { EventQuery } from './event-query.js'

interface Props {
  readonly wanted: EventQuery
  readonly want: (wanted: EventQuery) => void
  readonly types: readonly string[]
  readonly failure: string | undefined
}

const TOPICS = kinds.map(({ topic }) => topic).toSorted()
const STARTS = ['5m', '15m', '1h', '6h', '1d', '7d', 'beginning'] as const

/** A field applies on Enter and on blur. */
export const Filters = ({ wanted, want, types, failure }: Props) => {
  const lazy = (field: keyof EventQuery) => ({
    isLazy: true,
    value: wanted[field],
    change: (text: string): void => want({ ...wanted, [field]: text })
  })
  return (
    <search aria-label="Filter events">
      <SubmitForm class="filters" failure={failure} submit={() => {}}>
        <Field label="Topic" name="topic" placeholder="any" options={TOPICS} {...lazy('topic')} />
        <Field label="Key" placeholder="any, or a folder/" {...lazy('key')} />
        <Field label="Type" name="type" placeholder="any" options={types} {...lazy('type')} />
        <Field label="From" name="index|since|after" placeholder="now" options={STARTS} {...lazy('from')} />
        <Field
          label="Filter"
          name="expression|filter"
          placeholder={'Key matches "^web"'}
          {...lazy('filter')}
        />
      </SubmitForm>
    </search>
  )
}
