import { Status } from '../../components/badge.js'
import { fieldsOf } from '../../resources/kind.js'
import type { PanelProps } from '../resource/panel-props.js'
import { instancePage } from './page-links.js'
import { checkFacts } from './catalog-details.js'
import { Deregister } from './deregister.js'

export const CheckPanel = ({ newest, named }: PanelProps) => {
  const place = { namespace: String(named['ns'] ?? ''), partition: String(named['partition'] ?? '') }
  const check = checkFacts(fieldsOf(newest.Payload ?? {}), place)
  const { id, node, serviceId, serviceName, partition, namespace } = check
  return (
    <section aria-label="Check" class="catalog-panel">
      <h2>
        <Status of={check.status} />
      </h2>
      {check.notes !== '' && <p>{check.notes}</p>}
      <pre class="payload" tabIndex={0}>
        {check.output || 'No output.'}
      </pre>
      <p>
        {serviceId === '' ? (
          `Check of node ${node}. It applies to all instances on the node.`
        ) : (
          <a href={instancePage({ id: serviceId, node, namespace, partition })}>
            {serviceId} of {serviceName} on {node}
          </a>
        )}
      </p>
      <Deregister
        what={id}
        named={{ Node: node, CheckID: id, Namespace: namespace || undefined, Partition: partition }}
      >
        <p>The check no longer affects {serviceId || `the instances on ${node}`}.</p>
      </Deregister>
    </section>
  )
}
