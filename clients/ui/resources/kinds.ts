import {
  field,
  fieldIn,
  textIn,
  textOf,
  names,
  resourcePage,
  type Kind,
  type Column,
  type Fields
} from './kind.js'
import { formatEntry } from './format-entry.js'

/** Columns of times, displayed relative to now. */
export const LAST_USED = 'Last used'
export const EXPIRES = 'Expires'

/** The column of accessor IDs, which are abbreviated to their first characters. */
export const ACCESSOR = 'Accessor'

/** Lists the services and nodes of a token's identities. */
export const identitiesOf = ({ ServiceIdentities, NodeIdentities }: Fields): string => {
  const lists = [ServiceIdentities, NodeIdentities].filter(Array.isArray)
  return lists
    .flat()
    .map(each => textIn(each, 'ServiceName') || textIn(each, 'NodeName'))
    .join(', ')
}

const fields = (...titles: readonly string[]): readonly Column[] => titles.map(title => field(title))

/** Follows the other columns of a list of all namespaces. */
export const NAMESPACE: Column = {
  title: 'Namespace',
  text: ({ Namespace }) => textOf(Namespace) || 'default',
  width: '7rem',
  isWide: true
}

/** @param names plural and singular @param keys of the address, of the keyboard, and of the stream */
const kindOf = (
  [title, one]: readonly [string, string],
  [path, key, topic]: readonly [string, string, string],
  about: string,
  columns: readonly Column[],
  further: Partial<Kind> = {}
): Kind => ({
  path,
  title,
  one,
  key,
  topic,
  about,
  columns,
  ...(topic.startsWith('ACL') ? { list: { path: `/v1/acl/${path}` } } : {}),
  ...further
})

/** Policies create them. */
export const proposals: Kind = kindOf(
  ['Policy proposals', 'policy proposal'],
  ['policy-proposals', 'j', 'ACLPolicyProposal'],
  'A proposal is a change of a policy that another person applies. Edit a policy and choose Propose.',
  [field('Name'), field('Description'), field(EXPIRES, 'ExpirationTime'), NAMESPACE]
)

export const accessKinds: readonly Kind[] = [
  kindOf(
    ['Tokens', 'token'],
    ['tokens', 't', 'ACLToken'],
    'A token identifies a person or a service, and grants the permissions of its policies and roles.',
    [
      {
        title: 'Description',
        text: ({ Description, AccessorID }) => textOf(Description) || textOf(AccessorID),
        width: 'minmax(9rem, 2fr)'
      },
      { ...field(ACCESSOR, 'AccessorID'), width: '6rem', isWide: true },
      { ...names('Policies'), width: 'minmax(5rem, 1.5fr)' },
      { ...names('Roles'), width: 'minmax(4rem, 1.5fr)', isWide: true },
      { title: 'Identities', text: identitiesOf, isWide: true },
      {
        title: 'Source',
        text: ({ AuthMethod }) => (AuthMethod ? `login: ${textOf(AuthMethod)}` : ''),
        width: '6rem',
        isWide: true
      },
      { title: LAST_USED, text: ({ LastUsed }, fact) => fact ?? textOf(LastUsed), width: '7rem' },
      { ...field(EXPIRES, 'ExpirationTime'), width: '7rem', isWide: true },
      { title: 'Local', text: ({ Local }) => (Local === true ? 'yes' : ''), width: '3.5rem', isWide: true },
      NAMESPACE
    ],
    {
      facts: '/v1/acl/tokens/last-used',
      // The scope is a time; tokens that were used after it are hidden.
      isIn: (scope, fact) => scope === '' || fact === undefined || fact < scope
    }
  ),
  kindOf(
    ['Policies', 'policy'],
    ['policies', 'p', 'ACLPolicy'],
    'A policy is a list of rules. Tokens and roles link policies to get the permissions of their rules.',
    [field('Name'), field('Description'), { ...field('ID'), width: '21.5rem', isWide: true }, NAMESPACE]
  ),
  kindOf(
    ['Roles', 'role'],
    ['roles', 'r', 'ACLRole'],
    'A role groups policies, so that many tokens can share them.',
    [field('Name'), names('Policies'), field('Description'), NAMESPACE]
  ),
  kindOf(
    ['Auth methods', 'auth method'],
    ['auth-methods', 'a', 'ACLAuthMethod'],
    'An auth method lets people and services sign in with an identity of another system, such as single sign-on.',
    [...fields('Name', 'Type', 'Description'), NAMESPACE]
  ),
  kindOf(
    ['Binding rules', 'binding rule'],
    ['binding-rules', 'b', 'ACLBindingRule'],
    'A binding rule decides which permissions a login with an auth method gets.',
    [
      field('Auth method', 'AuthMethod'),
      { title: 'Applies to', text: ({ Selector }) => textOf(Selector) || 'everybody' },
      { title: 'Grants', text: ({ BindType, BindName }) => `${textOf(BindType)} ${textOf(BindName)}` },
      NAMESPACE
    ]
  ),
  proposals
]

interface NamedByApi {
  readonly Kind: string
  readonly ID: string
  readonly Namespace?: string
  readonly Partition?: string
}

/** Returns the page of a resource of access control; a login is a token. */
export const accessPage = ({ Kind: kind, ID, Namespace, Partition }: NamedByApi): string =>
  resourcePage(accessKinds.find(({ one }) => one === kind)?.path ?? 'tokens', {
    key: ID,
    ns: Namespace,
    partition: Partition
  })

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
  [field('Key')]
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
  ]
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
  ]
)

export const keysKinds: readonly Kind[] = [keyKind, sessionKind, queryKind]

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
  ]
)

export const partitions: Kind = kindOf(
  ['Partitions', 'partition'],
  ['partitions', 'o', 'Partition'],
  'A partition has nodes and namespaces of its own.',
  [field('Name'), field('Description'), state]
)

const operatorKinds: readonly Kind[] = [namespaces, partitions]

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
  { permission: 'service:read' }
)

export const meshKinds: readonly Kind[] = [config]

export const services: Kind = kindOf(
  ['Services', 'service'],
  ['services', 's', 'Service'],
  'A service is listed while an instance of it is registered: PUT /v1/agent/service/register.',
  [field('ID')],
  { permission: 'service:read' }
)

export const nodes: Kind = kindOf(
  ['Nodes', 'node'],
  ['nodes', 'n', 'Node'],
  'A node is a machine with service instances. Register it with an instance, or with PUT /v1/catalog/register.',
  [field('Name')],
  { permission: 'node:read' }
)

export const checks: Kind = kindOf(
  ['Checks', 'check'],
  ['checks', 'h', 'Check'],
  'A check reports the health of an instance or a node. Register it with the service.',
  [field('Name')],
  { permission: 'service:read' }
)

export const catalogKinds: readonly Kind[] = [services, nodes, checks]

export const kinds: readonly Kind[] = [
  ...accessKinds,
  ...catalogKinds,
  ...meshKinds,
  ...keysKinds,
  ...operatorKinds
]
