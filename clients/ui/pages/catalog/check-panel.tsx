import { fieldsOf } from '../../resources/kind.js'
import type { PanelProps } from '../resource/resource-view.js'

export const CheckPanel = ({ newest }: PanelProps) => {
  const { Output } = fieldsOf(newest.Payload ?? {})
  return (
    <section aria-label="Check">
      <h2>Output</h2>
      <pre class="payload" tabIndex={0}>
        {typeof Output === 'string' && Output !== '' ? Output : 'No output.'}
      </pre>
    </section>
  )
}
