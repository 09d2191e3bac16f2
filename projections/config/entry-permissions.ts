// The permissions for reading and writing entries, by kind (spec: config.md §1.4, acl.md §11.4).
import type { ConfigContent, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Access, Resource } from '../acl/authorizer.js'
import { spaceOf } from '../row-table.js'
import { namedServices } from './names.js'

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

/** Undefined for kinds that every caller may read. */
export const readPermissionOf = (
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy
): EntryPermission | undefined => {
  switch (kind) {
    case 'proxy-defaults':
    case 'mesh':
      return undefined
    case 'service-intentions':
      return { resource: 'intention', access: 'read', segment: name, tenancy: ruleTenancy(tenancy) }
    case 'ingress-gateway':
    case 'terminating-gateway':
    case 'service-defaults':
    case 'service-resolver':
    case 'service-router':
    case 'service-splitter':
      return { resource: 'service', access: 'read', segment: name, tenancy }
    case 'exported-services':
      return { resource: 'operator', access: 'read', segment: '', tenancy }
  }
}

export const deletePermissionOf = (kind: ConfigKind, name: string, tenancy: Tenancy): EntryPermission => {
  switch (kind) {
    case 'proxy-defaults':
    case 'mesh':
    case 'exported-services':
    case 'ingress-gateway':
    case 'terminating-gateway':
      return { resource: 'operator', access: 'write', segment: '', tenancy }
    case 'service-intentions':
      return { resource: 'intention', access: 'write', segment: name, tenancy: ruleTenancy(tenancy) }
    case 'service-defaults':
    case 'service-resolver':
    case 'service-router':
    case 'service-splitter':
      return { resource: 'service', access: 'write', segment: name, tenancy }
  }
}

/** Routing entries also need read on every other service that they name. */
export const writePermissionsOf = (content: ConfigContent, tenancy: Tenancy): readonly EntryPermission[] => {
  const own = deletePermissionOf(content.Kind, content.Kind === 'mesh' ? 'mesh' : content.Name, tenancy)
  switch (content.Kind) {
    case 'service-resolver':
    case 'service-router':
    case 'service-splitter': {
      const others = namedServices(content, tenancy).filter(
        named => named.service !== content.Name || spaceOf(named.tenancy) !== spaceOf(tenancy)
      )
      return [
        own,
        ...others.map((named): EntryPermission => ({
          resource: 'service',
          access: 'read',
          segment: named.service,
          tenancy: named.tenancy
        }))
      ]
    }
    case 'exported-services':
    case 'ingress-gateway':
    case 'mesh':
    case 'proxy-defaults':
    case 'service-defaults':
    case 'service-intentions':
    case 'terminating-gateway':
      return [own]
  }
}
