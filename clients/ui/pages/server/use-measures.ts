// What the server measures of itself.
import { useMemo } from 'preact/hooks'
import { useText, type ResponseState } from '../../session/use-response.js'
import { measuresIn, type Measure } from './prometheus.js'
import { usePageRefreshTimer } from './refresh-timer.js'

/** Asked again with the page's pulse. The same object until another answer came. */
export const useMeasures = (): ResponseState<readonly Measure[]> => {
  const { turn } = usePageRefreshTimer()
  const asked = useText('/v1/agent/metrics', { format: 'prometheus' }, turn)
  return useMemo(() => {
    const { value, ...failed } = asked
    return value === undefined ? failed : { value: measuresIn(value) }
  }, [asked])
}
