// What the server measures of itself.
import { useMemo } from 'preact/hooks'
import { useText, type Asked } from '../../session/use-answer.js'
import { measuresIn, type Measure } from './prometheus.js'
import { usePagePulse } from './pulse.js'

/** Asked again with the page's pulse. The same object until another answer came. */
export const useMeasures = (): Asked<readonly Measure[]> => {
  const { turn } = usePagePulse()
  const asked = useText('/v1/agent/metrics', { format: 'prometheus' }, turn)
  return useMemo(() => {
    const { value, ...failed } = asked
    return value === undefined ? failed : { value: measuresIn(value) }
  }, [asked])
}
