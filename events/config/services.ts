// Entries that describe a service or all of them: service-defaults and proxy-defaults.
import { freeMap, list, flag, integer, lowerText, nanoseconds, text, uint32 } from './fields/scalars.js'
import { decoder } from './fields/decoder.js'
import { always, nullable, object, storedAsGiven, storedIfFilled } from './fields/object.js'
import { type Decoded, entryBody, meshGateway, partTenancy } from './parts.js'

// service-defaults: protocol and proxy settings of one service (spec: config.md §4.1).

const transparentProxy = always(
  object({ OutboundListenerPort: storedIfFilled(integer), DialedDirectly: storedIfFilled(flag) }),
  {}
)

const exposePath = object({
  ListenerPort: storedIfFilled(integer),
  Path: storedIfFilled(text),
  LocalPathPort: storedIfFilled(integer),
  Protocol: storedIfFilled(text),
  ParsedFromCheck: storedIfFilled(flag)
})

const expose = always(
  object({ Checks: storedIfFilled(flag), Paths: storedIfFilled(list(exposePath, {})) }),
  {}
)

/** A negative time means none. */
const timeoutMs = decoder(integer.schemas, (given, path) => Math.max(0, integer(given, path)))

const limits = object({
  MaxConnections: storedAsGiven(integer),
  MaxPendingRequests: storedAsGiven(integer),
  MaxConcurrentRequests: storedAsGiven(integer)
})

const upstream = object({
  Name: storedIfFilled(text),
  ...partTenancy,
  EnvoyListenerJSON: storedIfFilled(text),
  EnvoyClusterJSON: storedIfFilled(text),
  Protocol: storedIfFilled(lowerText),
  ConnectTimeoutMs: storedIfFilled(timeoutMs),
  Limits: storedAsGiven(limits),
  PassiveHealthCheck: storedAsGiven(
    object({ Interval: storedIfFilled(nanoseconds), MaxFailures: storedIfFilled(uint32) })
  ),
  MeshGateway: meshGateway
})

export type Upstream = Decoded<typeof upstream>

export const serviceDefaultsBody = entryBody('service-defaults', {
  Protocol: always(lowerText, ''),
  Mode: storedIfFilled(text),
  TransparentProxy: transparentProxy,
  MeshGateway: meshGateway,
  Expose: expose,
  ExternalSNI: storedIfFilled(text),
  UpstreamConfig: storedAsGiven(
    object({ Overrides: storedIfFilled(list(upstream)), Defaults: storedAsGiven(upstream) })
  )
})
export type ServiceDefaults = Decoded<typeof serviceDefaultsBody>

// proxy-defaults: the settings of every service without its own (spec: config.md §4.2, decisions.md 12).

export const proxyDefaultsBody = entryBody('proxy-defaults', {
  Config: nullable(freeMap),
  Mode: storedIfFilled(text),
  TransparentProxy: transparentProxy,
  MeshGateway: meshGateway,
  Expose: expose
})
/** `protocol` of its `Config` is the protocol of every service without service-defaults (`protocolOf`). */
export type ProxyDefaults = Omit<Decoded<typeof proxyDefaultsBody>, 'Name'> & { readonly Name: 'global' }
