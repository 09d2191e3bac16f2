// How a resolver spreads requests over instances (spec: config.md §4.5).
import type { HashPolicy, LoadBalancer } from '../../../events/config/routing.js'
import { ConfigError } from '../config-error.js'
import { list } from '../fields/containers.js'
import { filled, kept, object } from '../fields/object.js'
import { flag, nanoseconds, text, uint32, uint64 } from '../fields/scalars.js'

const POLICIES: ReadonlySet<string> = new Set([
  '',
  'random',
  'round_robin',
  'least_request',
  'ring_hash',
  'maglev'
])
const HASH_FIELDS: ReadonlySet<string> = new Set(['header', 'cookie', 'query_parameter'])

const hashPolicy = object({
  Field: filled(text),
  FieldValue: filled(text),
  CookieConfig: kept(object({ Session: filled(flag), TTL: filled(nanoseconds), Path: filled(text) })),
  SourceIP: filled(flag),
  Terminal: filled(flag)
})

export const loadBalancer = kept(
  object({
    Policy: filled(text),
    RingHashConfig: kept(object({ MinimumRingSize: filled(uint64), MaximumRingSize: filled(uint64) })),
    LeastRequestConfig: kept(object({ ChoiceCount: filled(uint32) })),
    HashPolicies: filled(list(hashPolicy, {}))
  })
)

const checkHashPolicy = (policy: HashPolicy, path: string): void => {
  const { Field, FieldValue, CookieConfig, SourceIP } = policy
  if (Field !== undefined && !HASH_FIELDS.has(Field))
    throw new ConfigError(`field "${path}.Field" must be header, cookie or query_parameter, not "${Field}"`)
  if (SourceIP && Field !== undefined)
    throw new ConfigError(`"${path}" may have only one of SourceIP and Field`)
  if (SourceIP && FieldValue !== undefined)
    throw new ConfigError(`"${path}" may have only one of SourceIP and FieldValue`)
  if (Field !== undefined && FieldValue === undefined)
    throw new ConfigError(`field "${path}.FieldValue" is required with Field`)
  if (Field === undefined && FieldValue !== undefined)
    throw new ConfigError(`field "${path}.Field" is required with FieldValue`)
  if (!CookieConfig) return
  if (Field !== 'cookie') throw new ConfigError(`field "${path}.CookieConfig" needs the Field "cookie"`)
  if (CookieConfig.Session && CookieConfig.TTL !== undefined)
    throw new ConfigError(`"${path}.CookieConfig" may have only one of Session and TTL`)
}

export const checkLoadBalancer = (balancer: LoadBalancer): void => {
  const { Policy = '', RingHashConfig, LeastRequestConfig, HashPolicies = [] } = balancer
  if (!POLICIES.has(Policy))
    throw new ConfigError(`field "LoadBalancer.Policy" has the unknown policy "${Policy}"`)
  if (RingHashConfig && Policy !== 'ring_hash')
    throw new ConfigError('field "LoadBalancer.RingHashConfig" needs the Policy "ring_hash"')
  if (LeastRequestConfig && Policy !== 'least_request')
    throw new ConfigError('field "LoadBalancer.LeastRequestConfig" needs the Policy "least_request"')
  if (HashPolicies.length > 0 && Policy !== 'ring_hash' && Policy !== 'maglev')
    throw new ConfigError('field "LoadBalancer.HashPolicies" needs the Policy "ring_hash" or "maglev"')
  for (const [i, policy] of HashPolicies.entries()) checkHashPolicy(policy, `LoadBalancer.HashPolicies[${i}]`)
}
