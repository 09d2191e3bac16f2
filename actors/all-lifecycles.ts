// The lives of all aggregates, by which every event is checked before it is committed and when a log is verified.
import { accessLife } from './access.js'
import type { Life } from './aggregate.js'
import { authMethodLife } from './auth-method/machine.js'
import { autopilotLife } from './autopilot.js'
import { bindingRuleLife } from './binding-rule.js'
import { checkLife } from './check/machine.js'
import { clusterLife } from './cluster.js'
import { coordinateLife } from './coordinate.js'
import { configEntryLife } from './config-entry/machine.js'
import { kvLife } from './kv.js'
import { nodeLife } from './node/machine.js'
import { namespaceLife } from './namespace.js'
import { partitionLife } from './partition.js'
import { oidcRequestLife } from './oidc-request.js'
import { policyLife } from './policy.js'
import { queryLife } from './query.js'
import { logLife } from './retention.js'
import { roleLife } from './role.js'
import { serviceLife } from './service/machine.js'
import { sessionLife } from './session.js'
import { snapshotLife } from './snapshot/machine.js'
import { tokenLife } from './token.js'

export const allLives: readonly Life[] = [
  partitionLife,
  namespaceLife,
  accessLife,
  policyLife,
  roleLife,
  tokenLife,
  authMethodLife,
  bindingRuleLife,
  checkLife,
  clusterLife,
  autopilotLife,
  logLife,
  coordinateLife,
  oidcRequestLife,
  configEntryLife,
  kvLife,
  nodeLife,
  queryLife,
  serviceLife,
  sessionLife,
  snapshotLife
]
