import { useMemo } from 'preact/hooks'
import { StreamNotice } from '../../design/index.js'
import { fieldsOf, textOf } from '../../resources/kind.js'
import type { PanelProps } from '../resource/resource-view.js'
import { CheckList } from './check-list.js'
import { useCatalog } from './use-catalog.js'

const TOPICS = ['Check']

export const InstancePanel = ({ newest }: PanelProps) => {
  const fields = fieldsOf(newest.Payload ?? {})
  const [id, node] = ['ID', 'Node'].map(name => textOf(fields[name]))
  const namespace = textOf(fields['Namespace']) || 'default'
  const partition = textOf(fields['Partition']) || 'default'
  const narrowing = useMemo(() => {
    const ofInstance = `Payload.Check.ServiceID == ${JSON.stringify(id)} or Payload.Check.ServiceID == ""`
    return {
      namespace,
      partition,
      filter: `Payload.Check.Node == ${JSON.stringify(node)} and (${ofInstance})`
    }
  }, [id, node, namespace, partition])
  const { catalog, state } = useCatalog(TOPICS, narrowing)
  const checks = catalog.checks.ids
    .flatMap(each => catalog.checks.get(each) ?? [])
    .filter(check => check.node === node && (check.serviceId === '' || check.serviceId === id))
  return (
    <section aria-label="Instance">
      <h2>Checks</h2>
      {state === 'live' || state === 'ended' ? (
        <CheckList label="Checks" checks={checks} />
      ) : (
        <StreamNotice state={state} count={checks.length} what={['check', 'checks']} />
      )}
    </section>
  )
}
