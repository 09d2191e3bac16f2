import {
  type IngressGateway,
  type IngressListener,
  type IngressService,
  type LinkedService,
  type TerminatingGateway,
  ingressBody,
  terminatingBody
} from '../../../events/config/access.js'
import { ConfigError } from '../../../events/config/fields/decoder.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../row-table.js'
import { tenancyNamed } from '../names.js'
import { checkNameAndMeta, partNamespace, type KindRules } from './kind.js'

// ingress-gateway: listeners for clients outside the mesh (spec: config.md §4.7).

const PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'http', 'http2', 'grpc'])
const MAX_HOST_LENGTH = 255
const MAX_LABEL_LENGTH = 63

/** The fault of a host, if any. A trailing dot is allowed. */
const hostFault = (host: string): string | undefined => {
  if (host === '') return 'is empty'
  if (host.length > MAX_HOST_LENGTH) return `is longer than ${MAX_HOST_LENGTH} characters`
  const labels = host.replace(/\.$/, '').split('.')
  if (labels.some(label => label === '' || label.length > MAX_LABEL_LENGTH)) return 'is not a DNS name'
  if (labels.some((label, i) => label.includes('*') && (i > 0 || label !== '*')))
    return 'may have "*" only as its whole first label'
  return undefined
}

const checkHosts = (hosts: readonly string[], seen: Set<string>, tls: boolean, path: string): void => {
  for (const host of hosts) {
    const fault = hostFault(host)
    if (fault !== undefined) throw new ConfigError(`the host "${host}" of field "${path}.Hosts" ${fault}`)
    if (host === '*' && tls) throw new ConfigError(`field "${path}.Hosts" may not have "*" with TLS enabled`)
    if (seen.has(host)) throw new ConfigError(`the host "${host}" occurs more than once on a listener`)
    seen.add(host)
  }
}

const checkListener = ({ Protocol, Services }: IngressListener, tls: boolean, path: string): void => {
  if (!PROTOCOLS.has(Protocol))
    throw new ConfigError(`field "${path}.Protocol" must be tcp, http, http2 or grpc, not "${Protocol}"`)
  const services: readonly IngressService[] = Services ?? []
  if (services.length === 0) throw new ConfigError(`field "${path}.Services" must have at least one service`)
  if (services.length > 1 && Protocol !== 'http')
    throw new ConfigError(`field "${path}.Services" may have several services only with the Protocol "http"`)
  const seen = new Set<string>()
  for (const [i, { Name, Hosts }] of services.entries()) {
    const at = `${path}.Services[${i}]`
    const hosts = Hosts ?? []
    if (Protocol === 'tcp' && Name === '*')
      throw new ConfigError(`field "${at}.Name" may not be "*" with the Protocol "tcp"`)
    if (Protocol === 'tcp' && hosts.length > 0)
      throw new ConfigError(`field "${at}.Hosts" is not allowed with the Protocol "tcp"`)
    if (Name === '') throw new ConfigError(`field "${at}.Name" is required`)
    if (Name === '*' && hosts.length > 0)
      throw new ConfigError(`field "${at}.Hosts" is not allowed where the Name is "*"`)
    checkHosts(hosts, seen, tls, at)
  }
}

export const ingressGateway: KindRules<IngressGateway> = {
  decode: ingressBody,
  normalise: (content, tenancy) => ({
    ...content,
    Listeners:
      content.Listeners &&
      content.Listeners.map(one => ({
        ...one,
        Services:
          one.Services &&
          one.Services.map(({ Name, Namespace, ...rest }) => ({
            Name,
            ...partNamespace(Namespace, tenancy),
            ...rest
          }))
      }))
  }),
  validate: ({ Name, Meta, TLS, Listeners }, _tenancy, check) => {
    checkNameAndMeta(Name, Meta, check)
    const ports = new Set<number>()
    for (const [i, one] of (Listeners ?? []).entries()) {
      check(() => {
        if (ports.has(one.Port))
          throw new ConfigError(`the port ${one.Port} of field "Listeners" is used twice`)
      })
      ports.add(one.Port)
      check(() => checkListener(one, TLS.Enabled, `Listeners[${i}]`))
    }
  }
}

// terminating-gateway: services outside the mesh behind a gateway (spec: config.md §4.8).

const inNamespace = ({ Name, Namespace, ...rest }: LinkedService, tenancy: Tenancy): LinkedService => ({
  ...(Name === undefined ? {} : { Name }),
  ...partNamespace(Namespace, tenancy),
  ...rest
})

const checkLinkedService = ({ Name, CAFile, CertFile, KeyFile }: LinkedService, path: string): void => {
  if (Name === undefined) throw new ConfigError(`field "${path}.Name" is required`)
  if ((CertFile || KeyFile) && !(CAFile && CertFile && KeyFile))
    throw new ConfigError(`"${path}" needs CAFile, CertFile and KeyFile together`)
}

export const terminatingGateway: KindRules<TerminatingGateway> = {
  decode: terminatingBody,
  normalise: (content, tenancy) => ({
    ...content,
    Services: content.Services && content.Services.map(one => inNamespace(one, tenancy))
  }),
  validate: ({ Name, Meta, Services }, tenancy, check) => {
    checkNameAndMeta(Name, Meta, check)
    const seen = new Set<string>()
    for (const [i, one] of (Services ?? []).entries()) {
      check(() => checkLinkedService(one, `Services[${i}]`))
      const key = `${spaceOf(tenancyNamed(one, tenancy))}/${one.Name ?? ''}`
      check(() => {
        if (seen.has(key))
          throw new ConfigError(`field "Services" has the service "${one.Name ?? ''}" more than once`)
      })
      seen.add(key)
    }
  }
}
