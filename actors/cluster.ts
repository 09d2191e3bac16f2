import { CLUSTER_TENANCY } from '../events/envelope.js'
import {
  autopilotEvents,
  type AutopilotSettings,
  type AutopilotUpserted,
  clusterEvents,
  type ClusterIdentified
} from '../events/cluster.js'
import type { Aggregate, Command } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'
import { isDeepStrictEqual } from 'node:util'

type IdentifyCluster = Command<'IdentifyCluster', { readonly newId: string }>

const hasId = ({ Payload }: ClusterIdentified): boolean => Payload.Cluster.ID !== ''

export const clusterAggregate: Aggregate<IdentifyCluster> = {
  lifecycle: lifecycleOf<ClusterIdentified>({
    topic: clusterEvents.topic,
    states: {
      anonymous: { ClusterIdentified: { identified: hasId } },
      identified: { ClusterIdentified: { identified: hasId } }
    },
    stateOf: views => (views.cluster.id === '' ? 'anonymous' : 'identified')
  }),
  decide: ({ data }, { cluster }) =>
    cluster.id === '' ? [clusterEvents.create('ClusterIdentified', CLUSTER_TENANCY, { ID: data.newId })] : []
}

/** `cas`: undefined writes always; otherwise it must equal the current ModifyIndex, which begins at 0. */
type SetAutopilot = Command<
  'SetAutopilot',
  { readonly settings: AutopilotSettings; readonly cas: number | undefined }
>

/** Returns no event when nothing changes or the check-and-set index differs. */
export const autopilotAggregate: Aggregate<SetAutopilot> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<AutopilotUpserted>({
    topic: autopilotEvents.topic,
    states: { default: { AutopilotUpserted: 'set' }, set: { AutopilotUpserted: 'set' } },
    stateOf: ({ autopilot }) => (autopilot.current.ModifyIndex === 0 ? 'default' : 'set')
  }),
  decide: ({ data: { settings, cas } }, { autopilot }, index) => {
    const { CreateIndex, ModifyIndex, ...before } = autopilot.current
    const isUnset = ModifyIndex === 0
    if (cas !== undefined && cas !== ModifyIndex) return []
    if (!isUnset && isDeepStrictEqual(before, settings)) return []
    const updated = { ...settings, CreateIndex: isUnset ? index : CreateIndex, ModifyIndex: index }
    return [autopilotEvents.create('AutopilotUpserted', CLUSTER_TENANCY, updated)]
  }
}
