// Decides the commands on the cluster itself.
import { CLUSTER_KEY, CLUSTER_TOPIC } from '../../events/cluster.js'
import type { Event } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'
import { makeEvent } from '../make-event.js'
import type { ClusterCommand } from './commands.js'

export const decideCluster = ({ data }: ClusterCommand, views: Views): readonly Event[] =>
  views.cluster.id === ''
    ? [
        makeEvent({
          Topic: CLUSTER_TOPIC,
          Type: 'ClusterIdentified',
          Key: CLUSTER_KEY,
          Payload: { Cluster: { ID: data.newId } }
        })
      ]
    : []
