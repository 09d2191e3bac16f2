import { Chart } from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import type { Schemas } from '../../../typescript/typed/index.js'

type Rate = Schemas['CommitRate']

const MINUTES = 60

const countText = (count: number): string => count.toLocaleString('en')

/** Commits per minute of the last hour. @param turn another number reads it again */
export const CommitRate = ({ turn }: { readonly turn: number }) => {
  const { value } = useResponse<Rate>('/v1/event/rate', { since: '1h', intervals: MINUTES }, turn)
  const counts = value?.Counts ?? []
  const total = counts.reduce((sum, count) => sum + count, 0)
  const text = `${countText(total)} commits in the last hour, at most ${countText(Math.max(0, ...counts))} per minute`
  return (
    <Chart
      label={value ? text : '…'}
      series={[{ title: 'Commits per minute', values: counts }]}
      format={countText}
      points={MINUTES}
      least={4}
      height={40}
    />
  )
}
