// proxy-defaults: what holds for every service that says nothing else (spec: config.md §4.2, decisions.md 12).
import type { ProxyDefaults } from '../../../events/config/services.js'
import { ConfigError } from '../config-error.js'
import { freeMap } from '../fields/containers.js'
import { filled, nullable, object } from '../fields/object.js'
import { text } from '../fields/scalars.js'
import { checkMeta, meta, nameField, serviceFields, type KindRules } from './kind.js'
import { expose, meshGateway, transparentProxy } from './shared.js'

const body = object({
  ...nameField,
  Config: nullable(freeMap),
  Mode: filled(text),
  TransparentProxy: transparentProxy,
  MeshGateway: meshGateway,
  Expose: expose,
  Meta: meta,
  ...serviceFields
})

export const proxyDefaults: KindRules<ProxyDefaults> = {
  decode: given => {
    const { Name, ...rest } = body(given, '')
    if (Name !== '' && Name !== 'global')
      throw new ConfigError(`field "Name" of proxy-defaults must be "global", not "${Name}"`)
    return { Kind: 'proxy-defaults', Name: 'global', ...rest }
  },
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}

/**
 * The protocol that proxy-defaults set for services without service-defaults, in lower case; '' when they set none.
 * The key's letter case does not matter, and a number or boolean is taken as text.
 */
export const defaultProtocol = ({ Config }: Pick<ProxyDefaults, 'Config'>): string => {
  for (const [key, value] of Object.entries(Config ?? {})) {
    if (key.toLowerCase() !== 'protocol' || value === null || typeof value === 'object') continue
    return text(value, 'Config.protocol').toLowerCase()
  }
  return ''
}
