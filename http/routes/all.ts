// Every route of the API, in the order of the documentation.
import type { Route } from '../route.js'
import { authMethodRoutes } from './acl-auth-methods.js'
import { bindingRuleRoutes } from './acl-binding-rules.js'
import { loginRoutes } from './acl-login.js'
import { explainRoutes } from './acl-explain.js'
import { oidcRoutes } from './acl-oidc.js'
import { policyRoutes } from './acl-policies.js'
import { roleRoutes } from './acl-roles.js'
import { ruleRoutes } from './acl-rules.js'
import { accessRoutes } from './acl-system.js'
import { tokenRoutes } from './acl-tokens.js'
import { agentCheckRoutes } from './agent-checks.js'
import { agentHealthRoutes } from './agent-health.js'
import { agentMonitorRoutes } from './agent-monitor.js'
import { agentSelfRoutes } from './agent-self.js'
import { agentReloadRoutes } from './agent-reload.js'
import { agentTokenRoutes } from './agent-token.js'
import { agentServiceRoutes } from './agent-services.js'
import { configRoutes } from './config-entries.js'
import { discoveryChainRoutes } from './discovery-chain.js'
import { catalogReadRoutes } from './catalog-read.js'
import { catalogWriteRoutes } from './catalog-write.js'
import { coordinateRoutes } from './coordinates.js'
import { gatewayServiceRoutes } from './gateway-services.js'
import { healthRoutes } from './health.js'
import { eventStreamRoutes } from './event-stream.js'
import { snapshotRoutes } from './snapshot.js'
import { queryRoutes } from './queries.js'
import { queryRunRoutes } from './query-runs.js'
import { kvRoutes } from './kv.js'
import { sessionRoutes } from './sessions.js'
import { intentionRoutes } from './intentions.js'
import { legacyIntentionRoutes } from './legacy-intentions.js'
import { namespaceRoutes } from './namespaces.js'
import { operatorRoutes } from './operator.js'
import { partitionRoutes } from './partitions.js'
import { statusRoutes } from './status.js'
import { userEventRoutes } from './user-events.js'
import { transactionRoutes } from './txn.js'

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
