// Every route of the API, in the order of the documentation.
import type { Route } from '../wire/route.js'
import { authMethodRoutes } from './acl/auth-methods.js'
import { bindingRuleRoutes } from './acl/binding-rules.js'
import { loginRoutes } from './acl/login.js'
import { explainRoutes } from './acl/explain.js'
import { oidcRoutes } from './acl/oidc.js'
import { policyRoutes } from './acl/policies.js'
import { roleRoutes } from './acl/roles.js'
import { ruleRoutes } from './acl/rules.js'
import { accessRoutes } from './acl/system.js'
import { tokenRoutes } from './acl/tokens.js'
import { agentCheckRoutes } from './agent/checks.js'
import { agentHealthRoutes } from './agent/health.js'
import { agentMonitorRoutes } from './agent/monitor.js'
import { agentSelfRoutes } from './agent/self.js'
import { agentReloadRoutes } from './agent/reload.js'
import { agentTokenRoutes } from './agent/token.js'
import { agentServiceRoutes } from './agent/services.js'
import { configRoutes } from './config/entries.js'
import { discoveryChainRoutes } from './config/discovery-chain.js'
import { catalogReadRoutes } from './catalog/read.js'
import { catalogWriteRoutes } from './catalog/write.js'
import { coordinateRoutes } from './catalog/coordinates.js'
import { gatewayServiceRoutes } from './catalog/gateway-services.js'
import { healthRoutes } from './catalog/health.js'
import { eventStreamRoutes } from '../stream/route.js'
import { snapshotRoutes } from './snapshot/snapshot.js'
import { queryRoutes } from './queries/queries.js'
import { queryRunRoutes } from './queries/query-runs.js'
import { kvRoutes } from './kv/kv.js'
import { sessionRoutes } from './sessions/sessions.js'
import { intentionRoutes } from './config/intentions.js'
import { legacyIntentionRoutes } from './config/legacy-intentions.js'
import { namespaceRoutes } from './tenancy/namespaces.js'
import { operatorRoutes } from './operator/operator.js'
import { partitionRoutes } from './tenancy/partitions.js'
import { statusRoutes } from './operator/status.js'
import { userEventRoutes } from './events/routes.js'
import { transactionRoutes } from './txn/txn.js'

export const allRoutes: readonly Route[] = [
  ...accessRoutes,
  ...tokenRoutes,
  ...policyRoutes,
  ...authMethodRoutes,
  ...bindingRuleRoutes,
  ...loginRoutes,
  ...oidcRoutes,
  ...roleRoutes,
  ...namespaceRoutes,
  ...partitionRoutes,
  ...configRoutes,
  ...ruleRoutes,
  ...queryRoutes,
  ...queryRunRoutes,
  ...kvRoutes,
  ...sessionRoutes,
  ...discoveryChainRoutes,
  ...intentionRoutes,
  ...legacyIntentionRoutes,
  ...explainRoutes,
  ...transactionRoutes,
  ...eventStreamRoutes,
  ...userEventRoutes,
  ...catalogWriteRoutes,
  ...catalogReadRoutes,
  ...gatewayServiceRoutes,
  ...healthRoutes,
  ...coordinateRoutes,
  ...agentSelfRoutes,
  ...agentMonitorRoutes,
  ...agentReloadRoutes,
  ...agentTokenRoutes,
  ...agentServiceRoutes,
  ...agentCheckRoutes,
  ...agentHealthRoutes,
  ...snapshotRoutes,
  ...operatorRoutes,
  ...statusRoutes
]
