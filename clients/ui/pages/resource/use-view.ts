import type { ResourceView } from './resource-view.js'
import { useResult } from '../../session/use-response.js'

const access = () => import('../access/views.js')
const catalog = () => import('../catalog/views.js')
const tenancy = () => import('../server/tenancy/views.js')

const VIEWS: Readonly<Record<string, () => Promise<ResourceView>>> = {
  ACLToken: async () => (await import('../access/token-view.js')).tokenView,
  ACLPolicy: async () => (await access()).policyView,
  ACLPolicyProposal: async () => (await import('../access/proposal-view.js')).proposalView,
  ACLRole: async () => (await access()).roleView,
  ACLAuthMethod: async () => (await access()).authMethodView,
  ACLBindingRule: async () => (await access()).bindingRuleView,
  Service: async () => (await catalog()).instanceView,
  Check: async () => (await catalog()).checkView,
  Node: async () => (await catalog()).nodeView,
  ConfigEntry: async () => (await import('../mesh/entry-view.js')).entryView,
  KV: async () => (await import('../keys/key/key-view.js')).keyView,
  Session: async () => (await import('../keys/locks/session-view.js')).sessionView,
  PreparedQuery: async () => (await import('../queries/query-view.js')).queryView,
  Namespace: async () => (await tenancy()).namespaceView,
  Partition: async () => (await tenancy()).partitionView
}

/** Loads the view of a topic. Without it, pages show history and raw data. */
export const useView = (topic: string): ResourceView | undefined => {
  const { value } = useResult(async () => VIEWS[topic]?.(), [topic])
  return value
}
