// The life of the cluster: it gets its ID once, and that of a snapshot when one is restored.
import { setup } from 'xstate'
import { CLUSTER_TOPIC, type ClusterIdentified } from '../../events/cluster.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: ClusterIdentified['Type']
  readonly event: ClusterIdentified
}

const clusterMachine = setup({
  types: { events: {} as Happening },
  guards: { hasId: ({ event }) => event.event.Payload.Cluster.ID !== '' }
}).createMachine({
  id: CLUSTER_TOPIC,
  initial: 'anonymous',
  states: {
    anonymous: { on: { ClusterIdentified: { target: 'identified', guard: 'hasId' } } },
    identified: { on: { ClusterIdentified: { target: 'identified', guard: 'hasId' } } }
  }
})

export const clusterLife: Life = {
  topic: CLUSTER_TOPIC,
  machine: clusterMachine,
  stateOf: views => (views.cluster.id === '' ? 'anonymous' : 'identified')
}
