// The ID of the cluster.
import { setup } from 'xstate'
import { CLUSTER_KEY, CLUSTER_TOPIC, type ClusterIdentified } from '../events/cluster.js'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate } from './aggregate.js'
import type { Command } from './command.js'
import type { Lifecycle, MachineEvent } from './lifecycle.js'
import { createEvent } from './create-event.js'

type IdentifyCluster = Command<'IdentifyCluster', { readonly newId: string }>

const clusterMachine = setup({
  types: { events: {} as MachineEvent<ClusterIdentified> },
  guards: { hasId: ({ event }) => event.event.Payload.Cluster.ID !== '' }
}).createMachine({
  id: CLUSTER_TOPIC,
  initial: 'anonymous',
  states: {
    anonymous: { on: { ClusterIdentified: { target: 'identified', guard: 'hasId' } } },
    identified: { on: { ClusterIdentified: { target: 'identified', guard: 'hasId' } } }
  }
})

const clusterLifecycle: Lifecycle = {
  topic: CLUSTER_TOPIC,
  machine: clusterMachine,
  endings: [],
  stateOf: views => (views.cluster.id === '' ? 'anonymous' : 'identified')
}

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
