import type { Authorizer } from '../acl/authorizer.js'
import { rulesByScope } from '../acl/layer.js'
import type { Resource } from '../acl/rules/model.js'
import type { CountAllowed } from '../acl/usage/filter-uses.js'
import type { Subscription } from './subscription.js'
import { ALL_TOPICS } from './topic-filter.js'

const SERVICES: readonly Resource[] = ['namespace', 'node', 'service']
const EVERYTHING: readonly Resource[] = [...SERVICES, 'acl', 'key', 'operator', 'query', 'session']

/** The resources whose rules show events of a topic without being required for the subscription. */
const SHOWN_BY: ReadonlyMap<string, readonly Resource[]> = new Map([
  ['Service', SERVICES],
  ['Check', SERVICES],
  ['KV', ['key']],
  ['PreparedQuery', ['query']],
  ['ConfigEntry', ['service', 'operator']],
  ['Node', []],
  ['Session', []]
])

/** Counts a list by each rule that may show events to a subscriber. Linear in the rules. */
export const countReadableRules = (
  { rules }: Authorizer,
  { filter: { choices } }: Subscription,
  count: CountAllowed
): void => {
  if (rules === 'everything') return
  const topics = choices.length > 0 ? choices : [{ topic: ALL_TOPICS }]
  const resources = new Set(topics.flatMap(({ topic }) => SHOWN_BY.get(topic) ?? EVERYTHING))
  for (const { partition, namespace, rules: inScope } of rulesByScope([
    ...rules.own,
    ...rules.namespaceDefaults
  ]))
    for (const { rule } of inScope)
      if (rule.level !== 'deny' && resources.has(rule.resource))
        count({
          resource: rule.resource,
          access: 'read',
          segment: rule.label,
          extent: rule.match === 'exact' ? 'one' : 'list',
          partition: partition.label,
          namespace: namespace.label
        })
}
