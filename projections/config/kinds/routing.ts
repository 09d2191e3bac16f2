import {
  type HashPolicy,
  type LoadBalancer,
  type ResolverFailover,
  type ServiceResolver,
  type ServiceRoute,
  type ServiceRouter,
  type ServiceSplit,
  type ServiceSplitter,
  routerBody,
  splitterBody,
  resolverBody
} from '../../../events/config/routing.js'
import { ConfigError } from '../../../events/config/fields/decoder.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../row-table.js'
import { tenancyNamed } from '../names.js'
import { checkHeaders, checkMethods, checkPath, countPresent } from './http-match.js'
import { checkNameAndMeta, type KindRules } from './kind.js'

// service-router: the routes of the requests to a service (spec: config.md §4.3).

const checkRoute = ({ Match, Destination }: ServiceRoute, path: string): void => {
  const HTTP = Match?.HTTP
  if (HTTP) {
    const at = `${path}.Match.HTTP`
    checkPath(HTTP, at)
    checkHeaders(HTTP.Header, at)
    for (const [i, { Name, Present, Exact, Regex }] of (HTTP.QueryParam ?? []).entries()) {
      if (Name === '') throw new ConfigError(`field "${at}.QueryParam[${i}].Name" is required`)
      if (countPresent(Present, Exact, Regex) !== 1)
        throw new ConfigError(`"${at}.QueryParam[${i}]" must have exactly one of Present, Exact and Regex`)
    }
    checkMethods(HTTP.Methods, at)
  }
  if (Destination?.PrefixRewrite !== undefined && !HTTP?.PathExact && !HTTP?.PathPrefix)
    throw new ConfigError(
      `field "${path}.Destination.PrefixRewrite" needs a match by PathExact or PathPrefix`
    )
}

/** Outside `default`, a destination without a namespace gets that of the entry. */
const inNamespace = (route: ServiceRoute, { namespace }: Tenancy): ServiceRoute =>
  route.Destination && namespace !== 'default'
    ? { ...route, Destination: { ...route.Destination, Namespace: route.Destination.Namespace ?? namespace } }
    : route

export const serviceRouter: KindRules<ServiceRouter> = {
  decode: routerBody,
  normalise: (content, tenancy) => ({
    ...content,
    Routes: content.Routes && content.Routes.map(route => inNamespace(route, tenancy))
  }),
  validate: ({ Name, Meta, Routes }, _tenancy, check) => {
    checkNameAndMeta(Name, Meta, check)
    for (const [i, route] of (Routes ?? []).entries()) check(() => checkRoute(route, `Routes[${i}]`))
  }
}

// service-splitter: the shares of the requests to a service (spec: config.md §4.4).

const TOTAL_HUNDREDTHS = 10_000

const checkSplits = (splits: readonly ServiceSplit[], own: string, tenancy: Tenancy): void => {
  if (splits.length === 0) throw new ConfigError('field "Splits" must have at least one split')
  const seen = new Map<string, number>()
  let sum = 0
  for (const [i, one] of splits.entries()) {
    const { Weight, Service, ServiceSubset } = one
    const target = JSON.stringify([Service ?? own, ServiceSubset ?? '', spaceOf(tenancyNamed(one, tenancy))])
    const before = seen.get(target)
    if (before !== undefined)
      throw new ConfigError(`"Splits[${i}]" has the same service and subset as "Splits[${before}]"`)
    seen.set(target, i)
    sum += Math.round(Weight * 100)
  }
  if (sum !== TOTAL_HUNDREDTHS)
    throw new ConfigError(`the weights of field "Splits" must make 100 together, not ${sum / 100}`)
}

export const serviceSplitter: KindRules<ServiceSplitter> = {
  decode: splitterBody,
  validate: ({ Name, Meta, Splits }, tenancy, check) => {
    checkNameAndMeta(Name, Meta, check)
    check(() => checkSplits(Splits, Name, tenancy))
  }
}

// service-resolver: the instances of a service (spec: config.md §4.5).

const POLICIES: ReadonlySet<string> = new Set([
  '',
  'random',
  'round_robin',
  'least_request',
  'ring_hash',
  'maglev'
])
const HASH_FIELDS: ReadonlySet<string> = new Set(['header', 'cookie', 'query_parameter'])

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

const checkLoadBalancer = (balancer: LoadBalancer): void => {
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

const SUBSET = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

type SubsetTest = (subset: string | undefined) => boolean

const checkRedirect = ({ Name, Redirect, Failover }: ServiceResolver, isKnown: SubsetTest): void => {
  if (!Redirect) return
  if (Failover) throw new ConfigError('an entry may have only one of Redirect and Failover')
  const { Service, ServiceSubset, Namespace, Partition, Datacenter } = Redirect
  if ((Service ?? ServiceSubset ?? Namespace ?? Partition ?? Datacenter) === undefined)
    throw new ConfigError('field "Redirect" is set but names nothing')
  if (Service === undefined && ServiceSubset !== undefined)
    throw new ConfigError('field "Redirect.ServiceSubset" needs Redirect.Service')
  if (Service === undefined && Namespace !== undefined)
    throw new ConfigError('field "Redirect.Namespace" needs Redirect.Service')
  if (Service === undefined && Partition !== undefined)
    throw new ConfigError('field "Redirect.Partition" needs Redirect.Service')
  if (Service === Name && ServiceSubset !== undefined && !isKnown(ServiceSubset))
    throw new ConfigError(`field "Redirect.ServiceSubset" names "${ServiceSubset}", which is not in Subsets`)
}

const checkFailover = (key: string, given: ResolverFailover, own: string, isKnown: SubsetTest): void => {
  const { Service, ServiceSubset, Namespace, Partition, Datacenters } = given
  const path = `Failover.${key}`
  if (key !== '*' && !isKnown(key))
    throw new ConfigError(`field "${path}" names a subset that is not in Subsets`)
  if ((Service ?? ServiceSubset ?? Namespace ?? Partition ?? Datacenters) === undefined)
    throw new ConfigError(`field "${path}" is set but names nothing`)
  const isOwn = Service === undefined || Service === own
  if (ServiceSubset !== undefined && isOwn && !isKnown(ServiceSubset))
    throw new ConfigError(`field "${path}.ServiceSubset" names "${ServiceSubset}", which is not in Subsets`)
  if (Datacenters?.includes('')) throw new ConfigError(`field "${path}.Datacenters" has an empty name`)
}

const checkSubsetName = (name: string): void => {
  if (!SUBSET.test(name))
    throw new ConfigError(
      `field "Subsets" has the name "${name}": it must be 1 to 63 of a-z, 0-9 and -, without - at its ends`
    )
}

export const serviceResolver: KindRules<ServiceResolver> = {
  decode: resolverBody,
  validate: (entry, _tenancy, check) => {
    const { Name, Meta, Subsets = {}, DefaultSubset, ConnectTimeout, LoadBalancer } = entry
    const isKnown: SubsetTest = name => name !== undefined && Object.hasOwn(Subsets, name)
    checkNameAndMeta(Name, Meta, check)
    for (const name of Object.keys(Subsets)) check(() => checkSubsetName(name))
    check(() => {
      if (DefaultSubset !== undefined && !isKnown(DefaultSubset))
        throw new ConfigError(`field "DefaultSubset" names "${DefaultSubset}", which is not in Subsets`)
    })
    check(() => checkRedirect(entry, isKnown))
    for (const [key, given] of Object.entries(entry.Failover ?? {}))
      check(() => checkFailover(key, given, Name, isKnown))
    check(() => {
      if (ConnectTimeout?.startsWith('-'))
        throw new ConfigError('field "ConnectTimeout" must not be negative')
    })
    if (LoadBalancer) check(() => checkLoadBalancer(LoadBalancer))
  }
}
