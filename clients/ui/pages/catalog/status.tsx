// The number of resources by state, and the selection of a state.
import { STATUSES, type Status } from './summary.js'

/** How many are in a state; none of them is quiet. */
export const StatusCount = ({ status, count }: { readonly status: Status; readonly count: number }) => (
  <span class={count === 0 ? 'index' : `count ${status}`}>{count}</span>
)

interface Props {
  readonly value: Status | ''
  readonly change: (status: Status | '') => void
}

export const StatusFilter = ({ value, change }: Props) => (
  <select
    aria-label="Status"
    value={value}
    onChange={({ currentTarget }) => change(STATUSES.find(each => each === currentTarget.value) ?? '')}
  >
    <option value="">any status</option>
    {STATUSES.map(status => (
      <option key={status}>{status}</option>
    ))}
  </select>
)
