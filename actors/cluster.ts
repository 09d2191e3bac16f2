// The ID of the cluster.
import { CLUSTER_KEY, CLUSTER_TOPIC, type ClusterIdentified } from '../events/cluster.js'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, createEvent } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'

type IdentifyCluster = Command<'IdentifyCluster', { readonly newId: string }>

const hasId = ({ Payload }: ClusterIdentified): boolean => Payload.Cluster.ID !== ''

const clusterLifecycle = lifecycleOf<ClusterIdentified>({
  topic: CLUSTER_TOPIC,
  states: {
    anonymous: { ClusterIdentified: { identified: hasId } },
    identified: { ClusterIdentified: { identified: hasId } }
  },
  stateOf: views => (views.cluster.id === '' ? 'anonymous' : 'identified')
})

const decideCluster = ({ data }: IdentifyCluster, views: Views): readonly Event[] =>
  views.cluster.id === ''
    ? [
        createEvent({
          Topic: CLUSTER_TOPIC,
          Type: 'ClusterIdentified',
          Key: CLUSTER_KEY,
          Payload: { Cluster: { ID: data.newId } }
        })
      ]
    : []

export const clusterAggregate: Aggregate<IdentifyCluster> = {
  lifecycle: clusterLifecycle,
  decide: decideCluster
}
