import type { ProxyDefaults } from '../../events/config/services.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { Compilation } from './compilation.js'
import { serviceText } from './chain.js'

/** The protocol of services that no entry configures. */
export const DEFAULT_PROTOCOL = 'tcp'

/** The protocol in proxy-defaults for services without service-defaults, or '' (config.md §4.2). */
export const protocolOf = ({ Config }: Pick<ProxyDefaults, 'Config'>): string => {
  if (!Config) return ''
  const key = Object.keys(Config)
    .filter(name => name.toLowerCase() === 'protocol')
    .toSorted()
    .at(-1)
  const value = key === undefined ? undefined : Config[key]
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : ''
}

const find = (
  compilation: Compilation,
  service: string,
  tenancy: Tenancy
): NonNullable<Compilation['protocol']> => {
  const own = compilation.find('service-defaults', service, tenancy)
  if (own)
    return {
      name: own.Protocol.toLowerCase() || DEFAULT_PROTOCOL,
      from: [{ kind: 'service-defaults', name: service, tenancy }]
    }
  const defaults = compilation.proxyDefaults(tenancy)
  const home = { ...tenancy, namespace: DEFAULT_TENANCY.namespace }
  const name = defaults ? protocolOf(defaults) : ''
  return name === ''
    ? { name: DEFAULT_PROTOCOL, from: [] }
    : {
        name,
        from: [{ kind: 'proxy-defaults', name: 'global', tenancy: home }]
      }
}

/** @throws CompileError if the service has another protocol than earlier ones */
export const recordProtocol = (compilation: Compilation, service: string, tenancy: Tenancy): void => {
  const found = find(compilation, service, tenancy)
  if (!compilation.protocol) {
    compilation.protocol = found
    return
  }
  if (compilation.protocol.name === found.name) return
  const { question } = compilation
  throw compilation.fail(
    `discovery chain ${serviceText(question.service, question.tenancy)} uses inconsistent protocols; service ` +
      `${serviceText(service, tenancy)} has "${found.name}" which is not "${compilation.protocol.name}"`,
    [...found.from, ...compilation.protocol.from]
  )
}
