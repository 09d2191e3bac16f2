// The filter for unused tokens, with the time of the data.
import type { ResourceList } from '../../live/use-resources.js'
import { Refusal } from '../../components/notice.js'
import { asOfIndex } from '../../time-travel/as-of-state.js'

/** Durations as the API takes them, in words. */
const AGES = [
  ['', 'used or not'],
  ['1h', 'unused for an hour'],
  ['24h', 'unused for a day'],
  ['168h', 'unused for a week'],
  ['720h', 'unused for 30 days'],
  ['2160h', 'unused for 90 days'],
  ['8760h', 'unused for a year']
] as const

const HOUR = 3_600_000

/** The time, RFC 3339, that lies an age before another one; empty for no age. @param now in ms */
export const timeBefore = (age: string, now: number): string =>
  age === '' ? '' : new Date(now - Number.parseInt(age, 10) * HOUR).toISOString()

interface Props {
  readonly age: string
  readonly choose: (age: string) => void
  readonly resources: Pick<ResourceList, 'facts' | 'askFacts'>
}

export const LastUses = ({ age, choose, resources: { facts, askFacts } }: Props) => (
  <p class="choices">
    <select aria-label="Last use" value={age} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {AGES.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
    {!facts && asOfIndex.value === undefined && <span class="index as-of">Last uses are read …</span>}
    {facts && 'asOf' in facts && (
      <span class="index as-of">
        Last uses are as of {new Date(facts.asOf).toLocaleTimeString()}.{' '}
        <button type="button" class="plain" onClick={askFacts}>
          Ask again
        </button>
      </span>
    )}
    {facts && 'failure' in facts && <Refusal text={facts.failure} />}
  </p>
)
