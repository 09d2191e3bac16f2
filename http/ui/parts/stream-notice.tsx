// Says why a list is empty, or not what is true now.
import type { StreamState } from '../live/use-stream.js'

interface Props {
  readonly state: StreamState
  readonly count: number
  /** What the list holds, in plural. */
  readonly what: string
}

export const StreamNotice = ({ state, count, what }: Props) => {
  if (state === 'loading') return <p role="status">Reading {what} …</p>
  if (typeof state === 'object' && 'refused' in state)
    return (
      <p role="alert" class="refused">
        {state.refused}
      </p>
    )
  if (typeof state === 'object')
    return (
      <p role="alert" class="refused">
        The connection is lost: {state.lost}
      </p>
    )
  return (
    <p role="status">{count === 0 ? `There are no ${what} that this token may see.` : `${count} ${what}`}</p>
  )
}
