// Entries that make a discovery chain: router, splitter and resolver.
import {
  list,
  mapOf,
  decimal,
  durationText,
  flag,
  nanoseconds,
  text,
  uint32,
  uint64
} from './fields/scalars.js'
import { decoder } from './fields/decoder.js'
import { always, nullable, object, storedAsGiven, storedIfFilled } from './fields/object.js'
import { type Decoded, entryBody, headerField, methodsField, partTenancy, pathFields } from './parts.js'

/** The instances that a route, split, redirect or failover leads to. */
const target = {
  Service: storedIfFilled(text),
  ServiceSubset: storedIfFilled(text),
  ...partTenancy
}

// service-router: the routes of the requests to a service (spec: config.md §4.3).

/** A condition on a query parameter: exactly one of Present, Exact and Regex. */
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
  ...target,
  PrefixRewrite: storedIfFilled(text),
  RequestTimeout: storedIfFilled(durationText),
  NumRetries: storedIfFilled(uint32),
  RetryOnConnectFailure: storedIfFilled(flag),
  RetryOnStatusCodes: storedIfFilled(list(uint32, 0))
})

const route = object({
  Match: storedAsGiven(object({ HTTP: storedAsGiven(http) })),
  Destination: storedAsGiven(destination)
})
export type ServiceRoute = Decoded<typeof route>

export const routerBody = entryBody('service-router', { Routes: nullable(list(route, {})) })
export type ServiceRouter = Decoded<typeof routerBody>

// service-splitter: the shares of the requests to a service (spec: config.md §4.4).

/** A weight in hundredths, rounded half up like 32-bit floats. */
const hundredths = (weight: number): number => Math.floor(Math.fround(Math.fround(weight) * 100) + 0.5)

const weight = decoder(decimal.schemas, (given, path) => hundredths(decimal(given, path)) / 100 + 0)

const split = object({
  Weight: always(weight, 0),
  ...target
})

export type ServiceSplit = Decoded<typeof split>

export const splitterBody = entryBody('service-splitter', { Splits: always(list(split, {}), []) })
export type ServiceSplitter = Decoded<typeof splitterBody>

// service-resolver: the instances of a service (spec: config.md §4.5).

const hashPolicy = object({
  Field: storedIfFilled(text),
  FieldValue: storedIfFilled(text),
  CookieConfig: storedAsGiven(
    object({ Session: storedIfFilled(flag), TTL: storedIfFilled(nanoseconds), Path: storedIfFilled(text) })
  ),
  SourceIP: storedIfFilled(flag),
  Terminal: storedIfFilled(flag)
})

export type HashPolicy = Decoded<typeof hashPolicy>

const loadBalancer = object({
  Policy: storedIfFilled(text),
  RingHashConfig: storedAsGiven(
    object({ MinimumRingSize: storedIfFilled(uint64), MaximumRingSize: storedIfFilled(uint64) })
  ),
  LeastRequestConfig: storedAsGiven(object({ ChoiceCount: storedIfFilled(uint32) })),
  HashPolicies: storedIfFilled(list(hashPolicy, {}))
})
export type LoadBalancer = Decoded<typeof loadBalancer>

const subset = object({ Filter: storedIfFilled(text), OnlyPassing: storedIfFilled(flag) })
export type ResolverSubset = Decoded<typeof subset>

const redirect = object({ ...target, Datacenter: storedIfFilled(text) })
export type ResolverRedirect = Decoded<typeof redirect>

const failover = object({ ...target, Datacenters: storedIfFilled(list(text, '')) })

export type ResolverFailover = Decoded<typeof failover>

export const resolverBody = entryBody('service-resolver', {
  ConnectTimeout: storedIfFilled(durationText),
  DefaultSubset: storedIfFilled(text),
  Subsets: storedIfFilled(mapOf(subset, {})),
  Redirect: storedAsGiven(redirect),
  Failover: storedIfFilled(mapOf(failover, {})),
  LoadBalancer: storedAsGiven(loadBalancer)
})
export type ServiceResolver = Decoded<typeof resolverBody>
