// The permissions that reading and writing entries need, by kind (spec: config.md §1.4, acl.md §11.4).
import type { ConfigContent, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Access, Resource } from '../acl/authorizer.js'
import { spaceOf } from '../table.js'
import { namedServices } from './names.js'

/** A permission on something. */
export interface EntryPermission {
  readonly resource: Resource
  readonly access: Access
  /** Name of the thing; '' for resources without names. */
  readonly segment: string
  readonly tenancy: Tenancy
}

/** The namespace `*` of an entry stands for all: only rules for all namespaces answer for it. */
const asked = (tenancy: Tenancy): Tenancy =>
  tenancy.namespace === '*' ? { partition: tenancy.partition, namespace: '' } : tenancy

/** What reading an entry needs; undefined for kinds that everybody may read. */
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
      return { resource: 'intention', access: 'read', segment: name, tenancy: asked(tenancy) }
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

/** What deleting an entry needs. */
export const deletePermissionOf = (kind: ConfigKind, name: string, tenancy: Tenancy): EntryPermission => {
  switch (kind) {
    case 'proxy-defaults':
    case 'mesh':
    case 'exported-services':
    case 'ingress-gateway':
    case 'terminating-gateway':
      return { resource: 'operator', access: 'write', segment: '', tenancy }
    case 'service-intentions':
      return { resource: 'intention', access: 'write', segment: name, tenancy: asked(tenancy) }
    case 'service-defaults':
    case 'service-resolver':
    case 'service-router':
    case 'service-splitter':
      return { resource: 'service', access: 'write', segment: name, tenancy }
  }
}

/** What writing an entry needs: for routing entries also read on every other service that they name. */
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
