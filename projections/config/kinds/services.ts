import type { ProxyDefaults, ServiceDefaults, Upstream } from '../../../events/config/services.js'
import type { Tenancy } from '../../../events/envelope.js'
import { freeMap, list } from '../../../events/config/fields/containers.js'
import { ConfigError, decoder } from '../../../events/config/fields/decoder.js'
import {
  always,
  nullable,
  object,
  storedAsGiven,
  storedIfFilled
} from '../../../events/config/fields/object.js'
import { integer, lowerText, nanoseconds, text, uint32 } from '../../../events/config/fields/scalars.js'
import {
  checkMeta,
  checkName,
  entryObject,
  expose,
  meshGateway,
  partNamespace,
  partTenancy,
  transparentProxy,
  type KindRules
} from './kind.js'

// service-defaults: protocol and proxy settings of one service (spec: config.md §4.1).

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

const defaultsBody = entryObject({
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

const checkUpstream = ({ Limits = {}, PassiveHealthCheck }: Upstream, path: string): void => {
  for (const [name, limit] of Object.entries(Limits))
    if (limit < 0) throw new ConfigError(`field "${path}.Limits.${name}" must not be negative`)
  if ((PassiveHealthCheck?.Interval ?? 0) < 0)
    throw new ConfigError(`field "${path}.PassiveHealthCheck.Interval" must not be negative`)
}

const checkOverride = (override: Upstream, path: string): void => {
  if (override.Name === undefined) throw new ConfigError(`field "${path}.Name" is required`)
  if (override.Name === '*') throw new ConfigError(`field "${path}.Name" must name one service, not "*"`)
  checkUpstream(override, path)
}

const inNamespace = (override: Upstream, tenancy: Tenancy): Upstream => {
  const { Name, Namespace, ...rest } = override
  return { ...(Name === undefined ? {} : { Name }), ...partNamespace(Namespace, tenancy), ...rest }
}

export const serviceDefaults: KindRules<ServiceDefaults> = {
  schemas: defaultsBody.schemas,
  decode: (given, spelling) => ({ Kind: 'service-defaults', ...defaultsBody(given, '', spelling) }),
  normalise: (content, tenancy) => {
    const { UpstreamConfig } = content
    if (!UpstreamConfig?.Overrides) return content
    const Overrides = UpstreamConfig.Overrides.map(override => inNamespace(override, tenancy))
    return { ...content, UpstreamConfig: { ...UpstreamConfig, Overrides } }
  },
  validate: ({ Name, Meta, UpstreamConfig }, _tenancy, check) => {
    check(() => checkName(Name))
    check(() => {
      if (Name === '*') throw new ConfigError('field "Name" must name one service, not "*"')
    })
    check(() => checkMeta(Meta))
    for (const [i, override] of (UpstreamConfig?.Overrides ?? []).entries())
      check(() => checkOverride(override, `UpstreamConfig.Overrides[${i}]`))
    const { Defaults } = UpstreamConfig ?? {}
    if (!Defaults) return
    check(() => {
      if (Defaults.Name !== undefined)
        throw new ConfigError('field "UpstreamConfig.Defaults.Name" must be empty')
    })
    check(() => checkUpstream(Defaults, 'UpstreamConfig.Defaults'))
  }
}

// proxy-defaults: the settings of every service without its own (spec: config.md §4.2, decisions.md 12).

const proxyBody = entryObject({
  Config: nullable(freeMap),
  Mode: storedIfFilled(text),
  TransparentProxy: transparentProxy,
  MeshGateway: meshGateway,
  Expose: expose
})

export const proxyDefaults: KindRules<ProxyDefaults> = {
  schemas: proxyBody.schemas,
  decode: (given, spelling) => {
    const { Name: _given, ...rest } = proxyBody(given, '', spelling)
    return { Kind: 'proxy-defaults', Name: 'global', ...rest }
  },
  checkBody: given => {
    const { Name } = proxyBody(given, '')
    if (Name !== '' && Name !== 'global')
      throw new ConfigError(`field "Name" of proxy-defaults must be "global", not "${Name}"`)
  },
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}
