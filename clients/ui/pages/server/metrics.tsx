// All measures of the server, as a list to search in.
import { useState } from 'preact/hooks'
import { Table } from '../../parts/table.js'
import { Section } from './section.js'
import { useMeasures } from './use-measures.js'

/** More is found by searching. */
const MOST = 300

export const MetricsPart = () => {
  const [wanted, setWanted] = useState('')
  const { value, failure } = useMeasures()
  const found = (value ?? []).filter(({ name }) => name.includes(wanted.trim().toLowerCase()))
  return (
    <Section title="Metrics" failure={failure}>
      <p class="choices">
        <input
          type="search"
          id="search"
          placeholder="Search ( / )"
          aria-label="Search in metrics"
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        {value && (
          <span role="status">
            {found.length > MOST ? `The first ${MOST} of ${found.length}` : `${found.length} values`}
          </span>
        )}
      </p>
      {value && (
        <Table
          label="Metrics"
          head={['Name', 'Labels', 'Value']}
          rows={found.slice(0, MOST).map(({ name, labels, value: measured }) => [
            <code key="name">{name}</code>,
            Object.entries(labels)
              .map(([label, text]) => `${label} ${text}`)
              .join(', '),
            measured.toLocaleString(undefined, { maximumFractionDigits: 6 })
          ])}
          none="No metric is called so."
        />
      )}
    </Section>
  )
}
