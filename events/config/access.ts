// Entries about who reaches what: intentions, gateways and the mesh.
import { list, mapOf, flag, integer, lowerText, text } from './fields/scalars.js'
import { decoder } from './fields/decoder.js'
import { always, ignoredKey, nullable, object, storedAsGiven, storedIfFilled } from './fields/object.js'
import {
  type Decoded,
  entryBody,
  headerField,
  meta,
  methodsField,
  pathFields,
  partTenancy,
  serviceFields
} from './parts.js'

// service-intentions: the permitted and denied sources of a service (spec: config.md §4.6, tenancy.md §10).

const permissionHttp = object({ ...pathFields, Header: headerField, Methods: methodsField })
export type PermissionHttp = Decoded<typeof permissionHttp>

const permission = object({ Action: always(text, ''), HTTP: storedAsGiven(permissionHttp) })
export type IntentionPermission = Decoded<typeof permission>

const source = object({
  Name: always(text, ''),
  ...partTenancy,
  Action: storedIfFilled(text),
  Permissions: storedIfFilled(list(permission, {})),
  /** Computed; the higher one counts. */
  Precedence: always(integer, 0),
  Type: storedIfFilled(text),
  Description: storedIfFilled(text),
  LegacyID: ignoredKey(text),
  LegacyCreateTime: ignoredKey(text),
  LegacyUpdateTime: ignoredKey(text),
  LegacyMeta: storedIfFilled(mapOf(text, ''))
})

export interface IntentionSource extends Omit<Decoded<typeof source>, 'Type'> {
  readonly Type: string
  /** UUID; only of an intention that was written by its ID, as the fields that follow and `LegacyMeta`. */
  readonly LegacyID?: string
  /** RFC 3339. */
  readonly LegacyCreateTime?: string
  /** RFC 3339. */
  readonly LegacyUpdateTime?: string
}

export const intentionsBody = entryBody('service-intentions', { Sources: always(list(source), []) })
/** Its name is the destination, or `*`. The sources with the highest precedence are first. */
export interface ServiceIntentions extends Omit<Decoded<typeof intentionsBody>, 'Sources'> {
  readonly Sources: readonly IntentionSource[]
}

// ingress-gateway: listeners for clients outside the mesh (spec: config.md §4.7).

const protocol = decoder(text.schemas, (given, path) => lowerText(given, path) || 'tcp')

const ingressService = object({
  Name: always(text, ''),
  ...partTenancy,
  Hosts: nullable(list(text, '')),
  Meta: meta
})

export type IngressService = Decoded<typeof ingressService>

const listener = object({
  Port: always(integer, 0),
  Protocol: always(protocol, ''),
  Services: nullable(list(ingressService, {}))
})

export type IngressListener = Decoded<typeof listener>

export const ingressBody = entryBody('ingress-gateway', {
  TLS: always(object({ Enabled: always(flag, false) }), {}),
  Listeners: nullable(list(listener, {}))
})
export type IngressGateway = Decoded<typeof ingressBody>

// terminating-gateway: services outside the mesh behind a gateway (spec: config.md §4.8).

const linkedService = object({
  Name: storedIfFilled(text),
  ...partTenancy,
  CAFile: storedIfFilled(text),
  CertFile: storedIfFilled(text),
  KeyFile: storedIfFilled(text),
  SNI: storedIfFilled(text)
})

export type LinkedService = Decoded<typeof linkedService>

export const terminatingBody = entryBody('terminating-gateway', {
  Services: nullable(list(linkedService, {}))
})
export type TerminatingGateway = Decoded<typeof terminatingBody>

// exported-services: the services of a partition for other partitions (spec: config.md §4.10).

const orDefault = decoder(text.schemas, (given, path) => lowerText(given, path) || 'default')

/** A service that other partitions may use; `*` stands for all of a namespace, or for all namespaces. */
const exportedService = object({
  Name: always(text, ''),
  Namespace: always(orDefault, ''),
  Consumers: always(list(object({ Partition: always(lowerText, '') }), {}), [])
})

export type ExportedService = Decoded<typeof exportedService>

export const exportedBody = entryBody('exported-services', {
  Services: always(list(exportedService, {}), [])
})
/** Its name is the partition. */
export type ExportedServices = Decoded<typeof exportedBody>

// mesh: the settings of the whole mesh (spec: config.md §4.9, decisions.md 12).

const transparentProxy = object({ MeshDestinationsOnly: always(flag, false) })

const meshFields = { TransparentProxy: always(transparentProxy, {}) }
export const meshBody = entryBody('mesh', meshFields)
/** Responses have no name. */
export const meshView = object({ ...meshFields, Meta: meta, ...serviceFields })
/** The one mesh entry shows no name; its key says `mesh`. */
export type Mesh = Omit<Decoded<typeof meshBody>, 'Name'>
