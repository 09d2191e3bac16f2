import type { RuleSet } from './model.js'
import { parseRules } from './parse.js'

const block = (name: string, settings: string): string => `${name} "" {\n${settings}}\n`
const POLICY_WRITE = '\tpolicy = "write"\n'

/** The exact text that clients see and that an update must repeat (spec: acl.md §8.8). */
export const MANAGEMENT_POLICY_RULES = [
  '\nacl = "write"\n',
  block('agent_prefix', POLICY_WRITE),
  block('event_prefix', POLICY_WRITE),
  block('key_prefix', POLICY_WRITE),
  'keyring = "write"\n',
  block('node_prefix', POLICY_WRITE),
  'operator = "write"\n',
  block('query_prefix', POLICY_WRITE),
  block('service_prefix', POLICY_WRITE + '\tintentions = "write"\n'),
  block('session_prefix', POLICY_WRITE)
]
  .join('')
  .trimEnd()

/** Rules of the policy `namespace-management` of every new namespace (spec: tenancy.md §2.5). */
export const NAMESPACE_MANAGEMENT_RULES = [
  'acl = "write"\n',
  block('key_prefix', POLICY_WRITE),
  block('node_prefix', '\tpolicy = "read"\n'),
  block('session_prefix', POLICY_WRITE),
  block('service_prefix', POLICY_WRITE + '\tintentions = "write"\n')
]
  .join('')
  .trimEnd()

export const managementRules = (): RuleSet => {
  const { rules } = parseRules(MANAGEMENT_POLICY_RULES)
  const everywhere = { match: 'prefix', label: '' } as const
  const own = { resource: 'namespace', match: 'exact', label: '', level: 'write', intentions: null } as const
  const namespace = { ...own, line: 0, column: 0 }
  return {
    rules,
    blocks: [{ partition: everywhere, namespace: everywhere, rules: [...rules, namespace] }],
    warnings: []
  }
}
