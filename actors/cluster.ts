import { CLUSTER_KEY, CLUSTER_TOPIC, type ClusterIdentified } from '../events/cluster.js'
import { type Aggregate, type Command, createEvent } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'

type IdentifyCluster = Command<'IdentifyCluster', { readonly newId: string }>

const hasId = ({ Payload }: ClusterIdentified): boolean => Payload.Cluster.ID !== ''

export const clusterAggregate: Aggregate<IdentifyCluster> = {
  lifecycle: lifecycleOf<ClusterIdentified>({
    topic: CLUSTER_TOPIC,
    states: {
      anonymous: { ClusterIdentified: { identified: hasId } },
      identified: { ClusterIdentified: { identified: hasId } }
    },
    stateOf: views => (views.cluster.id === '' ? 'anonymous' : 'identified')
  }),
  decide: ({ data }, { cluster }) => {
    if (cluster.id !== '') return []
    const Payload = { Cluster: { ID: data.newId } }
    return [createEvent({ Topic: CLUSTER_TOPIC, Type: 'ClusterIdentified', Key: CLUSTER_KEY, Payload })]
  }
}
