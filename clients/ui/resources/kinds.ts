// The kinds of resources: the columns of their lists, and what their pages say.
import { formatEntry } from './format-entry.js'
import {
  fieldIn,
  textOf,
  type Kind,
  kindOf,
  field,
  NAMESPACE,
  type Column,
  textIn,
  type Fields,
  names
} from './kind.js'
import { accessKinds } from './access-kinds.js'

/** Lists the datacenters that a query fails over to. */
const failoverOf = (failover: unknown): string => {
  const nearest = Number(fieldIn(failover, 'NearestN') ?? 0)
  const datacenters = fieldIn(failover, 'Datacenters')
  const named = Array.isArray(datacenters) ? datacenters.map(textOf) : []
  return [...(nearest > 0 ? [`nearest ${nearest}`] : []), ...named].join(', ')
}

export const keyKind: Kind = kindOf(
  ['Keys', 'key'],
  ['keys', 'k', 'KV'],
  'Keys hold configuration and other small values, in folders.',
  [field('Key')],
  { resource: 'key' }
)

/** The keys that sessions hold. They have the pages of keys. */
export const locks: Kind = kindOf(
  ['Locks', 'lock'],
  ['keys', 'l', 'KV'],
  'A lock is a key that a session holds, such as the lock of a leader. Clients acquire locks with PUT /v1/kv/KEY?acquire=SESSION.',
  [
    { ...field('Key'), width: 'minmax(0, 3fr)' },
    { ...field('Held by', 'Session'), width: 'minmax(0, 4fr)' },
    { ...field('Since', 'ModifyIndex'), width: '13rem', isWide: true },
    { ...field('Times held', 'LockIndex'), width: '7rem', isWide: true },
    NAMESPACE
  ],
  {
    resource: 'key',
    list: {
      path: '/v1/kv/',
      query: { held: true },
      changes: 'Payload.KV.Session != "" or Type == "KVUnlock" or Type == "KVDelete"',
      isGone: ({ Session }) => textOf(Session) === ''
    }
  }
)

const nameOrId: Column = { title: 'Name', text: ({ Name, ID }) => textOf(Name) || textOf(ID) }

export const sessionKind: Kind = kindOf(
  ['Sessions', 'session'],
  ['sessions', 'x', 'Session'],
  'A session holds locks on keys, and releases them when its node or its checks fail. Clients create sessions.',
  [
    { ...nameOrId, width: 'minmax(0, 2fr)' },
    { ...field('ID'), width: '19rem', isWide: true },
    { ...field('Node'), isWide: true },
    { ...field('TTL'), width: '5rem' },
    { ...field('Behavior'), width: '6rem', isWide: true }
  ],
  { resource: 'session' }
)

export const queryKind: Kind = kindOf(
  ['Prepared queries', 'prepared query'],
  ['queries', 'q', 'PreparedQuery'],
  'A prepared query finds healthy instances of a service by one name, and can fail over to other datacenters.',
  [
    { ...nameOrId, width: 'minmax(0, 2fr)' },
    { title: 'Service', text: ({ Service }) => textIn(Service, 'Service'), width: 'minmax(0, 2fr)' },
    {
      title: 'Kind',
      text: ({ Template }) => (textIn(Template, 'Type') === '' ? 'query' : 'template'),
      width: '6rem'
    },
    { title: 'Failover', text: ({ Service }) => failoverOf(fieldIn(Service, 'Failover')), isWide: true },
    { ...field('ID'), width: '21.5rem', isWide: true }
  ],
  { resource: 'query' }
)

/** A namespace marked for deletion exists until it is empty. */
const state: Column = {
  title: 'State',
  text: ({ DeletedAt }) => (typeof DeletedAt === 'string' ? 'being deleted' : '')
}

const defaults: Column = {
  title: 'Defaults',
  isWide: true,
  text: ({ ACLs }) => {
    const linked: Fields = Object(ACLs)
    const texts = ['PolicyDefaults', 'RoleDefaults'].map(name => names(name).text(linked))
    return texts.filter(text => text !== '').join(', ')
  }
}

export const namespaces: Kind = kindOf(
  ['Namespaces', 'namespace'],
  ['namespaces', 'm', 'Namespace'],
  'A namespace separates the resources of a team from those of others.',
  [
    field('Name'),
    field('Description'),
    defaults,
    {
      title: 'Partition',
      isWide: true,
      text: ({ Partition }) => (typeof Partition === 'string' ? Partition : 'default')
    },
    state
  ],
  { resource: 'operator' }
)

export const partitions: Kind = kindOf(
  ['Partitions', 'partition'],
  ['partitions', 'o', 'Partition'],
  'A partition has nodes and namespaces of its own.',
  [field('Name'), field('Description'), state],
  { resource: 'operator' }
)

export const config: Kind = kindOf(
  ['Configuration entries', 'configuration entry'],
  ['config', 'c', 'ConfigEntry'],
  'Configuration entries define protocols, traffic splitting, routing and gateways of services. Reading one requires service:read on its name, and intention:read for intentions.',
  [
    { ...field('Name'), width: 'minmax(6rem, 2fr)' },
    { ...field('Kind'), width: 'minmax(8rem, 1fr)' },
    { title: 'Summary', text: formatEntry, width: 'minmax(6rem, 3fr)', isWide: true },
    NAMESPACE
  ],
  { resource: 'service' }
)

export const services: Kind = kindOf(
  ['Services', 'service'],
  ['services', 's', 'Service'],
  'A service is listed while an instance of it is registered: PUT /v1/agent/service/register.',
  [field('ID')],
  { resource: 'service' }
)

export const nodes: Kind = kindOf(
  ['Nodes', 'node'],
  ['nodes', 'n', 'Node'],
  'A node is a machine with service instances. Register it with an instance, or with PUT /v1/catalog/register.',
  [field('Name')],
  { resource: 'node' }
)

export const checks: Kind = kindOf(
  ['Checks', 'check'],
  ['checks', 'h', 'Check'],
  'A check reports the health of an instance or a node. Register it with the service.',
  [field('Name')],
  { resource: 'service' }
)

export const kinds: readonly Kind[] = [
  ...accessKinds,
  services,
  nodes,
  checks,
  config,
  keyKind,
  sessionKind,
  queryKind,
  namespaces,
  partitions
]
