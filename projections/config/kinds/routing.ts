import type {
  HashPolicy,
  LoadBalancer,
  ResolverFailover,
  ServiceResolver,
  ServiceRoute,
  ServiceRouter,
  ServiceSplit,
  ServiceSplitter
} from '../../../events/config/routing.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../row-table.js'
import { list, mapOf } from '../../../events/config/fields/containers.js'
import { ConfigError, decoder } from '../../../events/config/fields/decoder.js'
import {
  always,
  nullable,
  object,
  storedAsGiven,
  storedIfFilled
} from '../../../events/config/fields/object.js'
import {
  decimal,
  durationText,
  flag,
  lowerText,
  nanoseconds,
  text,
  uint32,
  uint64
} from '../../../events/config/fields/scalars.js'
import { tenancyNamed } from '../names.js'
import {
  checkHeaders,
  checkMethods,
  checkPath,
  countPresent,
  headerField,
  methodsField,
  pathFields
} from './http-match.js'
import { checkNameAndMeta, entryObject, type KindRules } from './kind.js'

// service-router: the routes of the requests to a service (spec: config.md §4.3).

const queryParam = object({
  Name: always(text, ''),
  Present: storedIfFilled(flag),
  Exact: storedIfFilled(text),
  Regex: storedIfFilled(text)
})

const http = object({
  ...pathFields,
  Header: headerField,
  QueryParam: storedIfFilled(list(queryParam, {})),
  Methods: methodsField
})

const destination = object({
  Service: storedIfFilled(text),
  ServiceSubset: storedIfFilled(text),
  Namespace: storedIfFilled(text),
  Partition: storedIfFilled(lowerText),
  PrefixRewrite: storedIfFilled(text),
  RequestTimeout: storedIfFilled(durationText),
  NumRetries: storedIfFilled(uint32),
  RetryOnConnectFailure: storedIfFilled(flag),
  RetryOnStatusCodes: storedIfFilled(list(uint32, 0))
})

const routes = list(
  object({
    Match: storedAsGiven(object({ HTTP: storedAsGiven(http) })),
    Destination: storedAsGiven(destination)
  }),
  {}
)
const routerBody = entryObject({ Routes: nullable(routes) })

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
  schemas: routerBody.schemas,
  decode: (given, spelling) => ({ Kind: 'service-router', ...routerBody(given, '', spelling) }),
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

/** A weight in hundredths, rounded half up like 32-bit floats. */
const hundredths = (weight: number): number => Math.floor(Math.fround(Math.fround(weight) * 100) + 0.5)

const weight = decoder(decimal.schemas, (given, path) => hundredths(decimal(given, path)) / 100 + 0)

const split = object({
  Weight: always(weight, 0),
  Service: storedIfFilled(text),
  ServiceSubset: storedIfFilled(text),
  Namespace: storedIfFilled(text),
  Partition: storedIfFilled(lowerText)
})

const splitterBody = entryObject({ Splits: always(list(split, {}), []) })

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
  schemas: splitterBody.schemas,
  decode: (given, spelling) => ({ Kind: 'service-splitter', ...splitterBody(given, '', spelling) }),
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

const hashPolicy = object({
  Field: storedIfFilled(text),
  FieldValue: storedIfFilled(text),
  CookieConfig: storedAsGiven(
    object({ Session: storedIfFilled(flag), TTL: storedIfFilled(nanoseconds), Path: storedIfFilled(text) })
  ),
  SourceIP: storedIfFilled(flag),
  Terminal: storedIfFilled(flag)
})

const loadBalancer = storedAsGiven(
  object({
    Policy: storedIfFilled(text),
    RingHashConfig: storedAsGiven(
      object({ MinimumRingSize: storedIfFilled(uint64), MaximumRingSize: storedIfFilled(uint64) })
    ),
    LeastRequestConfig: storedAsGiven(object({ ChoiceCount: storedIfFilled(uint32) })),
    HashPolicies: storedIfFilled(list(hashPolicy, {}))
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

const subset = object({ Filter: storedIfFilled(text), OnlyPassing: storedIfFilled(flag) })
const target = {
  Service: storedIfFilled(text),
  ServiceSubset: storedIfFilled(text),
  Namespace: storedIfFilled(text),
  Partition: storedIfFilled(lowerText)
}
const redirect = object({ ...target, Datacenter: storedIfFilled(text) })
const failover = object({ ...target, Datacenters: storedIfFilled(list(text, '')) })

const resolverBody = entryObject({
  ConnectTimeout: storedIfFilled(durationText),
  DefaultSubset: storedIfFilled(text),
  Subsets: storedIfFilled(mapOf(subset, {})),
  Redirect: storedAsGiven(redirect),
  Failover: storedIfFilled(mapOf(failover, {})),
  LoadBalancer: loadBalancer
})

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
  schemas: resolverBody.schemas,
  decode: (given, spelling) => ({ Kind: 'service-resolver', ...resolverBody(given, '', spelling) }),
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
