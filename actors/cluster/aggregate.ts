// The aggregate of the cluster itself.
import type { Aggregate } from '../aggregate.js'
import type { ClusterCommand } from './commands.js'
import { decideCluster } from './decide.js'
import { clusterLife } from './machine.js'

export const clusterAggregate: Aggregate<ClusterCommand> = { life: clusterLife, decide: decideCluster }
