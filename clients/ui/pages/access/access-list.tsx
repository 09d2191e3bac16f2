import { useMemo, useState } from 'preact/hooks'
import type { ResourceList } from '../../live/use-resources.js'
import { Button, Refusal, Select } from '../../design/index.js'
import { asOfIndex, pointInTimeIn } from '../../time-travel/as-of-state.js'
import { type ListProps, ResourceListPage } from '../resource-list-page.js'

/** Durations of the API and their titles. */
const AGES = [
  ['', 'any last use'],
  ['1h', 'unused for an hour'],
  ['24h', 'unused for a day'],
  ['168h', 'unused for a week'],
  ['720h', 'unused for 30 days'],
  ['2160h', 'unused for 90 days'],
  ['8760h', 'unused for a year']
] as const

interface LastUsesProps {
  readonly age: string
  readonly choose: (age: string) => void
  readonly resources: Pick<ResourceList, 'facts' | 'askFacts'>
}

/** The filter for unused tokens, with the time of the data. */
const LastUses = ({ age, choose, resources: { facts, askFacts } }: LastUsesProps) => (
  <p class="choices">
    <Select isLabelHidden label="Last use" options={AGES} value={age} change={choose} />
    {!facts && asOfIndex.value === undefined && <span class="index as-of">Loading last uses …</span>}
    {facts && 'asOf' in facts && (
      <span class="index as-of">
        Last uses as of {new Date(facts.asOf).toLocaleTimeString()}.{' '}
        <Button label="Refresh" act={askFacts} class="plain" />
      </span>
    )}
    {facts && 'failure' in facts && <Refusal text={facts.failure} />}
  </p>
)

export const AccessList = ({ kind, hasNew = false }: Pick<ListProps, 'kind' | 'hasNew'>) => {
  const [age, setAge] = useState('')
  // The time before which a token was used last.
  const scope = useMemo(() => (age === '' ? '' : String(pointInTimeIn(age, Date.now()))), [age])
  return (
    <ResourceListPage
      kind={kind}
      hasNew={hasNew}
      scope={scope}
      controls={resources =>
        kind.facts !== undefined && <LastUses age={age} choose={setAge} resources={resources} />
      }
    />
  )
}
