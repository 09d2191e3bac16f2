import {
  type ProxyDefaults,
  type ServiceDefaults,
  type Upstream,
  serviceDefaultsBody,
  proxyDefaultsBody
} from '../../../events/config/services.js'
import { ConfigError, decoder } from '../../../events/config/fields/decoder.js'
import type { Tenancy } from '../../../events/envelope.js'
import { checkMeta, checkName, partNamespace, type KindRules } from './kind.js'

// service-defaults: protocol and proxy settings of one service (spec: config.md §4.1).

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
  decode: serviceDefaultsBody,
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

export const proxyDefaults: KindRules<ProxyDefaults> = {
  decode: decoder(proxyDefaultsBody.schemas, (given, path, spelling) => ({
    ...proxyDefaultsBody(given, path, spelling),
    Name: 'global'
  })),
  checkBody: given => {
    const { Name } = proxyDefaultsBody(given, '')
    if (Name !== '' && Name !== 'global')
      throw new ConfigError(`field "Name" of proxy-defaults must be "global", not "${Name}"`)
  },
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}
