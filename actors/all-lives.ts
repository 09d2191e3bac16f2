// The lives of all aggregates, by which every event is checked before it is committed and when a log is verified.
import { accessLife } from './access/machine.js'
import type { Life } from './aggregate.js'
import { authMethodLife } from './auth-method/machine.js'
import { autopilotLife } from './autopilot/machine.js'
import { bindingRuleLife } from './binding-rule/machine.js'
import { checkLife } from './check/machine.js'
import { clusterLife } from './cluster/machine.js'
import { coordinateLife } from './coordinate/machine.js'
import { configEntryLife } from './config-entry/machine.js'
import { kvLife } from './kv/machine.js'
import { nodeLife } from './node/machine.js'
import { namespaceLife } from './namespace/machine.js'
import { partitionLife } from './partition/machine.js'
import { oidcRequestLife } from './oidc-request/machine.js'
import { policyLife } from './policy/machine.js'
import { queryLife } from './query/machine.js'
import { logLife } from './retention/machine.js'
import { roleLife } from './role/machine.js'
import { serviceLife } from './service/machine.js'
import { sessionLife } from './session/machine.js'
import { snapshotLife } from './snapshot/machine.js'
import { tokenLife } from './token/machine.js'

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
