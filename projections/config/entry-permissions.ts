import { nameOfEntry, type ConfigContent, type ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { judgedNames, type Access, type Resource } from '../acl/authorizer.js'
import { spaceOf } from '../row-table.js'
import { namedServices, ROUTING } from './names.js'
import type { ConfigLookup } from './rows.js'

export interface EntryPermission {
  readonly resource: Resource
  readonly access: Access
  /** '' for resources without names. */
  readonly segment: string
  readonly tenancy: Tenancy
}

/** The namespace `*` of an entry stands for all: only rules for all namespaces apply. */
const ruleTenancy = (tenancy: Tenancy): Tenancy =>
  tenancy.namespace === '*' ? { partition: tenancy.partition, namespace: '' } : tenancy

/** The resource that each kind of entry belongs to, to read and to write it. No permission is required to read `open` kinds. */
const RESOURCES: Readonly<Record<ConfigKind, readonly [read: Resource | 'open', write: Resource]>> = {
  'exported-services': ['operator', 'operator'],
  'ingress-gateway': ['service', 'operator'],
  mesh: ['open', 'operator'],
  'proxy-defaults': ['open', 'operator'],
  'service-defaults': ['service', 'service'],
  'service-intentions': ['intention', 'intention'],
  'service-resolver': ['service', 'service'],
  'service-router': ['service', 'service'],
  'service-splitter': ['service', 'service'],
  'terminating-gateway': ['service', 'operator']
}

const permissionOf = (
  resource: Resource,
  access: Access,
  name: string,
  tenancy: Tenancy
): EntryPermission => ({
  resource,
  access,
  segment: resource === 'operator' ? '' : name,
  tenancy: resource === 'intention' ? ruleTenancy(tenancy) : tenancy
})

/** Undefined for kinds that every caller may read (spec: config.md §1.4, acl.md §11.4). */
export const readPermissionOf = (
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy
): EntryPermission | undefined => {
  const [resource] = RESOURCES[kind]
  return resource === 'open' ? undefined : permissionOf(resource, 'read', name, tenancy)
}

export const deletePermissionOf = (kind: ConfigKind, name: string, tenancy: Tenancy): EntryPermission =>
  permissionOf(RESOURCES[kind][1], 'write', name, tenancy)

const namesOf = (
  config: ConfigLookup,
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy
): readonly string[] => {
  const stored = config.get(kind, name, tenancy)
  return [...judgedNames(name, stored && nameOfEntry(stored))]
}

/** Empty for kinds that every caller may read (spec: config.md §1.4, acl.md §11.4). */
export const readPermissionsOf = (
  config: ConfigLookup,
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy
): readonly EntryPermission[] =>
  namesOf(config, kind, name, tenancy).flatMap(one => readPermissionOf(kind, one, tenancy) ?? [])

export const deletePermissionsOf = (
  config: ConfigLookup,
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy
): readonly EntryPermission[] =>
  namesOf(config, kind, name, tenancy).map(one => deletePermissionOf(kind, one, tenancy))

/** Routing entries also need read on every other service that they name. */
export const writePermissionsOf = (
  config: ConfigLookup,
  content: ConfigContent,
  tenancy: Tenancy
): readonly EntryPermission[] => {
  const name = nameOfEntry(content)
  const own = deletePermissionsOf(config, content.Kind, name, tenancy)
  if (!ROUTING.includes(content.Kind)) return own
  const others = namedServices(content, tenancy).filter(
    named => named.service !== name || spaceOf(named.tenancy) !== spaceOf(tenancy)
  )
  return [...own, ...others.map(named => permissionOf('service', 'read', named.service, named.tenancy))]
}
