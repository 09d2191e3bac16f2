import type {
  ExportedService,
  ExportedServices,
  IngressGateway,
  IngressListener,
  IngressService,
  IntentionPermission,
  IntentionSource,
  LinkedService,
  Mesh,
  PermissionHttp,
  ServiceIntentions,
  TerminatingGateway
} from '../../../events/config/access.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../row-table.js'
import { list, mapOf } from '../fields/containers.js'
import { ConfigError, decoder } from '../fields/decoder.js'
import { always, ignoredKey, nullable, object, storedAsGiven, storedIfFilled } from '../fields/object.js'
import { flag, integer, lowerText, text } from '../fields/scalars.js'
import { tenancyNamed } from '../names.js'
import { checkHeaders, checkMethods, checkPath, headerField, methodsField, pathFields } from './http-match.js'
import {
  checkMeta,
  checkName,
  checkNameAndMeta,
  entryObject,
  meta,
  partNamespace,
  partTenancy,
  serviceFields,
  type KindRules
} from './kind.js'

// service-intentions: the permitted and denied sources of a service (spec: config.md §4.6, tenancy.md §10).

const MAX_DESCRIPTION_BYTES = 512
const ACTIONS: ReadonlySet<string | undefined> = new Set(['allow', 'deny'])

const permission = object({
  Action: always(text, ''),
  HTTP: storedAsGiven(object({ ...pathFields, Header: headerField, Methods: methodsField }))
})

const source = object({
  Name: always(text, ''),
  ...partTenancy,
  Action: storedIfFilled(text),
  Permissions: storedIfFilled(list(permission, {})),
  Precedence: always(integer, 0),
  Type: storedIfFilled(text),
  Description: storedIfFilled(text),
  LegacyID: ignoredKey(text),
  LegacyCreateTime: ignoredKey(text),
  LegacyUpdateTime: ignoredKey(text),
  LegacyMeta: storedIfFilled(mapOf(text, ''))
})

const intentionsBody = entryObject({ Sources: always(list(source), []) })

/** The number of exact parts: none for `*` everywhere, one for `*` in a namespace, two for one service. */
const exactness = (name: string, namespace: string): number => (namespace === '*' ? 0 : name === '*' ? 1 : 2)

const precedence = (destination: number, from: number): number => 3 * destination + 3 - (2 - from)

const checkWildcard = (name: string, path: string): void => {
  if (name !== '*' && name.includes('*'))
    throw new ConfigError(`field "${path}" may be "*" as a whole, not have it as a part`)
}

const isEmptyHttp = (http: PermissionHttp): boolean => Object.keys(http).length === 0

const checkPermission = ({ Action, HTTP }: IntentionPermission, path: string): void => {
  if (!ACTIONS.has(Action)) throw new ConfigError(`field "${path}.Action" must be "allow" or "deny"`)
  if (!HTTP) throw new ConfigError(`field "${path}.HTTP" is required`)
  checkPath(HTTP, `${path}.HTTP`)
  checkHeaders(HTTP.Header, `${path}.HTTP`)
  checkMethods(HTTP.Methods, `${path}.HTTP`)
  if (isEmptyHttp(HTTP)) throw new ConfigError(`field "${path}.HTTP" must have at least one condition`)
}

const checkSource = (given: IntentionSource, destination: string, path: string): void => {
  const { Name, Action, Permissions, Type, Description = '' } = given
  if (Name === '') throw new ConfigError(`field "${path}.Name" is required`)
  checkWildcard(Name, `${path}.Name`)
  if (given.Namespace === '*' && Name !== '*')
    throw new ConfigError(`field "${path}.Name" must be "*" where the namespace is "*"`)
  if (Buffer.byteLength(Description) > MAX_DESCRIPTION_BYTES)
    throw new ConfigError(`field "${path}.Description" is longer than ${MAX_DESCRIPTION_BYTES} bytes`)
  if (Permissions) {
    if (Action !== undefined) throw new ConfigError(`"${path}" may have only one of Action and Permissions`)
    if (destination === '*')
      throw new ConfigError(`field "${path}.Permissions" is not allowed for the destination "*"`)
  } else if (!ACTIONS.has(Action)) throw new ConfigError(`field "${path}.Action" must be "allow" or "deny"`)
  if (Type !== 'consul') throw new ConfigError(`field "${path}.Type" must be "consul"`)
  for (const [i, allowed] of (Permissions ?? []).entries())
    checkPermission(allowed, `${path}.Permissions[${i}]`)
}

const checkTwice = (sources: readonly IntentionSource[], tenancy: Tenancy): void => {
  const seen = new Set<string>()
  for (const one of sources) {
    const key = `${spaceOf(tenancyNamed(one, tenancy))}/${one.Name}`
    if (seen.has(key)) throw new ConfigError(`field "Sources" has the source "${one.Name}" more than once`)
    seen.add(key)
  }
}

export const serviceIntentions: KindRules<ServiceIntentions> = {
  schemas: intentionsBody.schemas,
  decode: (given, spelling) => {
    const { Sources, ...rest } = intentionsBody(given, '', spelling)
    const shown = Sources.map(({ LegacyMeta, Type = 'consul', Description, ...one }, i): IntentionSource => {
      if (LegacyMeta) throw new ConfigError(`field "Sources[${i}].LegacyMeta" must be empty`)
      return { ...one, Type, ...(Description === undefined ? {} : { Description }) }
    })
    return { Kind: 'service-intentions', ...rest, Sources: shown }
  },
  normalise: (content, tenancy) => {
    const destination = exactness(content.Name, tenancy.namespace)
    const sources = content.Sources.map(({ Name, Namespace, ...one }): IntentionSource => {
      const place = partNamespace(Namespace, tenancy)
      const from = exactness(Name, place.Namespace ?? tenancy.namespace)
      return { Name, ...place, ...one, Precedence: precedence(destination, from) }
    })
    return { ...content, Sources: sources.toSorted((a, b) => b.Precedence - a.Precedence) }
  },
  validate: ({ Name, Meta, Sources }, tenancy, check) => {
    check(() => checkName(Name))
    check(() => checkWildcard(Name, 'Name'))
    check(() => {
      if (tenancy.namespace === '*' && Name !== '*')
        throw new ConfigError('field "Name" must be "*" where the namespace is "*"')
    })
    check(() => checkMeta(Meta))
    check(() => {
      if (Sources.length === 0) throw new ConfigError('field "Sources" must have at least one source')
    })
    for (const [i, one] of Sources.entries()) check(() => checkSource(one, Name, `Sources[${i}]`))
    check(() => checkTwice(Sources, tenancy))
  }
}

// ingress-gateway: listeners for clients outside the mesh (spec: config.md §4.7).

const PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'http', 'http2', 'grpc'])
const MAX_HOST_LENGTH = 255
const MAX_LABEL_LENGTH = 63

const protocol = decoder(text.schemas, (given, path) => lowerText(given, path) || 'tcp')

const ingressService = object({
  Name: always(text, ''),
  ...partTenancy,
  Hosts: nullable(list(text, '')),
  Meta: meta
})

const listener = object({
  Port: always(integer, 0),
  Protocol: always(protocol, ''),
  Services: nullable(list(ingressService, {}))
})

const ingressBody = entryObject({
  TLS: always(object({ Enabled: always(flag, false) }), {}),
  Listeners: nullable(list(listener, {}))
})

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
  schemas: ingressBody.schemas,
  decode: (given, spelling) => ({ Kind: 'ingress-gateway', ...ingressBody(given, '', spelling) }),
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

const linkedService = object({
  Name: storedIfFilled(text),
  ...partTenancy,
  CAFile: storedIfFilled(text),
  CertFile: storedIfFilled(text),
  KeyFile: storedIfFilled(text),
  SNI: storedIfFilled(text)
})

const terminatingBody = entryObject({ Services: nullable(list(linkedService, {})) })

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
  schemas: terminatingBody.schemas,
  decode: (given, spelling) => ({ Kind: 'terminating-gateway', ...terminatingBody(given, '', spelling) }),
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

// exported-services: the services of a partition for other partitions (spec: config.md §4.10).

const orDefault = decoder(text.schemas, (given, path) => lowerText(given, path) || 'default')

const exportedService = object({
  Name: always(text, ''),
  Namespace: always(orDefault, ''),
  Consumers: always(list(object({ Partition: always(lowerText, '') }), {}), [])
})

const exportedBody = entryObject({ Services: always(list(exportedService, {}), []) })

const checkExportedService = ({ Name, Namespace, Consumers }: ExportedService, path: string): void => {
  if (Name === '') throw new ConfigError(`field "${path}.Name" is required`)
  if (Namespace === '*' && Name !== '*')
    throw new ConfigError(`field "${path}.Name" must be "*" where the namespace is "*"`)
  if (Consumers.length === 0)
    throw new ConfigError(`field "${path}.Consumers" must have at least one consumer`)
  for (const [i, { Partition }] of Consumers.entries()) {
    if (Partition === '') throw new ConfigError(`field "${path}.Consumers[${i}].Partition" is required`)
    if (Partition === '*')
      throw new ConfigError(`field "${path}.Consumers[${i}].Partition" must name one partition, not "*"`)
  }
}

export const exportedServices: KindRules<ExportedServices> = {
  schemas: exportedBody.schemas,
  decode: (given, spelling) => ({ Kind: 'exported-services', ...exportedBody(given, '', spelling) }),
  validate: ({ Name, Meta, Services }, { partition }, check) => {
    check(() => checkName(Name))
    check(() => {
      if (Name !== '' && Name.toLowerCase() !== partition)
        throw new ConfigError(
          `field "Name" of exported-services must be the partition of the entry, "${partition}", not "${Name}"`
        )
    })
    check(() => checkMeta(Meta))
    for (const [i, one] of Services.entries()) check(() => checkExportedService(one, `Services[${i}]`))
  }
}

// mesh: the settings of the whole mesh (spec: config.md §4.9, decisions.md 12).

const transparentProxy = object({ MeshDestinationsOnly: always(flag, false) })

const meshFields = { TransparentProxy: always(transparentProxy, {}) }
const meshBody = entryObject(meshFields)
/** Responses have no name. */
const meshView = object({ ...meshFields, Meta: meta, ...serviceFields })

export const mesh: KindRules<Mesh> = {
  schemas: { ...meshBody.schemas, shown: meshView.schemas.shown },
  decode: (given, spelling) => {
    const { Name, ...rest } = meshBody(given, '', spelling)
    if (Name !== '' && Name !== 'mesh')
      throw new ConfigError(`field "Name" of mesh must be "mesh", not "${Name}"`)
    return { Kind: 'mesh', ...rest }
  },
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}
