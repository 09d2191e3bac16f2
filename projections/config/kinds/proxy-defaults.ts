// proxy-defaults: the settings of every service without its own (spec: config.md §4.2, decisions.md 12).
import type { ProxyDefaults } from '../../../events/config/services.js'
import { ConfigError } from '../fields/decoder.js'
import { freeMap } from '../fields/containers.js'
import { storedIfFilled, nullable, object } from '../fields/object.js'
import { text } from '../fields/scalars.js'
import {
  checkMeta,
  meta,
  nameField,
  serviceFields,
  expose,
  meshGateway,
  transparentProxy,
  type KindRules
} from './kind.js'

const body = object({
  ...nameField,
  Config: nullable(freeMap),
  Mode: storedIfFilled(text),
  TransparentProxy: transparentProxy,
  MeshGateway: meshGateway,
  Expose: expose,
  Meta: meta,
  ...serviceFields
})

export const proxyDefaults: KindRules<ProxyDefaults> = {
  schemas: body.schemas,
  decode: (given, spelling) => {
    const { Name: _given, ...rest } = body(given, '', spelling)
    return { Kind: 'proxy-defaults', Name: 'global', ...rest }
  },
  checkBody: given => {
    const { Name } = body(given, '')
    if (Name !== '' && Name !== 'global')
      throw new ConfigError(`field "Name" of proxy-defaults must be "global", not "${Name}"`)
  },
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}
