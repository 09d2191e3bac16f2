import { useResponse } from '../../session/use-response.js'
import type { Schemas } from '../../../typescript/typed/index.js'

type Rate = Schemas['CommitRate']

const HEIGHT = 32
const STEP = 6

/** Commits per minute of the last hour as a sparkline. @param turn another number reads it again */
export const CommitRate = ({ turn }: { readonly turn: number }) => {
  const { value } = useResponse<Rate>('/v1/event/rate', { since: '1h', intervals: 60 }, turn)
  const counts = value?.Counts ?? []
  const most = Math.max(1, ...counts)
  const points = counts.map((count, at) => `${at * STEP},${HEIGHT - (count / most) * (HEIGHT - 2)}`)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const text = `${total.toLocaleString('en')} commits in the last hour, at most ${most} per minute`
  return (
    <figure class="sparkline">
      <svg role="img" aria-label={text} viewBox={`0 0 ${59 * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        <polyline points={points.join(' ')} />
      </svg>
      <figcaption>{value ? text : '…'}</figcaption>
    </figure>
  )
}
