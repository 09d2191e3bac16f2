// The lifecycles of all aggregates, by which every event is checked before it is committed and when a log is verified.
import { accessLifecycle } from './access.js'
import type { Lifecycle } from './aggregate.js'
import { authMethodLifecycle } from './auth-method/auth-method.js'
import { autopilotLifecycle } from './autopilot.js'
import { bindingRuleLifecycle } from './binding-rule.js'
import { checkLifecycle } from './catalog/check.js'
import { clusterLifecycle } from './cluster.js'
import { coordinateLifecycle } from './coordinate.js'
import { configEntryLifecycle } from './config-entry/config-entry.js'
import { kvLifecycle } from './kv.js'
import { nodeLifecycle } from './catalog/node.js'
import { namespaceLifecycle } from './namespace.js'
import { partitionLifecycle } from './partition.js'
import { oidcRequestLifecycle } from './oidc-request.js'
import { policyLifecycle } from './policy.js'
import { queryLifecycle } from './query.js'
import { logLifecycle } from './retention.js'
import { roleLifecycle } from './role.js'
import { serviceLifecycle } from './catalog/service.js'
import { sessionLifecycle } from './session.js'
import { snapshotLifecycle } from './snapshot/snapshot.js'
import { tokenLifecycle } from './token.js'

export const allLifecycles: readonly Lifecycle[] = [
  partitionLifecycle,
  namespaceLifecycle,
  accessLifecycle,
  policyLifecycle,
  roleLifecycle,
  tokenLifecycle,
  authMethodLifecycle,
  bindingRuleLifecycle,
  checkLifecycle,
  clusterLifecycle,
  autopilotLifecycle,
  logLifecycle,
  coordinateLifecycle,
  oidcRequestLifecycle,
  configEntryLifecycle,
  kvLifecycle,
  nodeLifecycle,
  queryLifecycle,
  serviceLifecycle,
  sessionLifecycle,
  snapshotLifecycle
]
