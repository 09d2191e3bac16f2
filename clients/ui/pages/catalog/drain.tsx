import { ConfirmButton } from '../../design/index.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { send } from '../send.js'

const CHECK_ID = '_node_maintenance'

interface Props {
  readonly node: string
  readonly address: string
  readonly partition: string
}

/** Puts a node into maintenance, and takes it out again. */
export const Drain = ({ node, address, partition }: Props) => {
  const path = `/v1/health/node/${encodeURIComponent(node)}`
  const { value } = useBlockingQuery<readonly object[]>(path, {
    partition,
    filter: `CheckID == ${JSON.stringify(CHECK_ID)}`
  })
  const isDrained = (value?.length ?? 0) > 0
  const change = async (reason: string): Promise<void> => {
    const named = { Node: node, Partition: partition }
    if (isDrained) {
      await send('PUT', '/v1/catalog/deregister', { body: { ...named, CheckID: CHECK_ID }, reason })
      return
    }
    const Check = {
      CheckID: CHECK_ID,
      Name: 'Node Maintenance Mode',
      Status: 'critical',
      Type: 'maintenance',
      Notes: reason
    }
    await send('PUT', '/v1/catalog/register', {
      body: { ...named, Address: address, SkipNodeUpdate: true, Check },
      reason
    })
  }
  return (
    <ConfirmButton
      label={isDrained ? 'End maintenance' : 'Drain node'}
      title={isDrained ? `End the maintenance of ${node}?` : `Drain ${node}?`}
      action={change}
      isHarmless
      disabled={!value}
    >
      {isDrained
        ? 'Its instances are as healthy as their checks again.'
        : 'Its instances become critical, so clients stop using them. Nothing is deleted.'}
    </ConfirmButton>
  )
}
