// Whether a caller can read anything of the kinds that a list shows, so that nothing is read from the log in vain.
import { AUTH_METHOD_TOPIC } from '../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../events/binding-rule.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'
import { COORDINATE_TOPIC } from '../../events/coordinate.js'
import { KV_TOPIC } from '../../events/kv.js'
import { NODE_TOPIC } from '../../events/node.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import { SESSION_TOPIC } from '../../events/session.js'
import { TOKEN_TOPIC } from '../../events/token.js'
import type { Authorizer, Resource } from '../../projections/acl/authorizer.js'
import { LABELLED, UNLABELLED } from '../../projections/acl/rules/model.js'
import { grantsSome } from '../../projections/acl/some-access.js'
import type { ThingsOf } from '../wire/past.js'

const EVERY_RESOURCE: readonly Resource[] = [...UNLABELLED, ...LABELLED, 'intention', 'namespace']

/** Resources of which one must be granted to see anything of a topic; of other topics, any resource at all. */
const resources: ReadonlyMap<string, readonly Resource[]> = new Map<string, readonly Resource[]>([
  [NODE_TOPIC, ['node']],
  [COORDINATE_TOPIC, ['node']],
  [SERVICE_TOPIC, ['service', 'namespace']],
  [CHECK_TOPIC, ['service', 'node', 'namespace']],
  [KV_TOPIC, ['key']],
  [SESSION_TOPIC, ['session']],
  [QUERY_TOPIC, ['query', 'acl']],
  [TOKEN_TOPIC, ['acl']],
  [POLICY_TOPIC, ['acl']],
  [ROLE_TOPIC, ['acl']],
  [AUTH_METHOD_TOPIC, ['acl']],
  [BINDING_RULE_TOPIC, ['acl']]
])

/** Configuration entries of two kinds need no permission, of intentions that on their destination. */
const isOfIntentions = ({ prefix = '' }: ThingsOf): boolean => prefix.startsWith('service-intentions/')

/** Whether the caller can read anything of what a list shows. */
export const maySeeSome = (authorizer: Authorizer, list: ThingsOf): boolean => {
  const { topics, shown = topics, partition = '*', namespace = '*' } = list
  return shown.some(topic => {
    if (topic === CONFIG_ENTRY_TOPIC && !isOfIntentions(list)) return true
    const needed = topic === CONFIG_ENTRY_TOPIC ? (['intention', 'service'] as const) : resources.get(topic)
    return grantsSome(authorizer, needed ?? EVERY_RESOURCE, { partition, namespace })
  })
}
