import {
  field,
  fieldIn,
  textIn,
  textOf,
  names,
  decoded,
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

/** @param names plural and singular @param keys of the address, of the keyboard, and of the stream */
const kindOf = (
  [title, one]: readonly [string, string],
  [path, key, topic]: readonly [string, string, string],
  columns: readonly Column[]
): Kind => ({ path, title, one, key, topic, columns })

/** Policies create them. */
export const proposals: Kind = kindOf(
  ['Policy proposals', 'policy proposal'],
  ['policy-proposals', 'j', 'ACLPolicyProposal'],
  [field('Name'), field('Description'), field(EXPIRES, 'ExpirationTime')]
)

export const accessKinds: readonly Kind[] = [
  {
    ...kindOf(
      ['Tokens', 'token'],
      ['tokens', 't', 'ACLToken'],
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
        { title: 'Local', text: ({ Local }) => (Local === true ? 'yes' : ''), width: '3.5rem', isWide: true }
      ]
    ),
    facts: '/v1/acl/tokens/last-used',
    // The scope is a time; tokens that were used after it are hidden.
    isIn: (scope, fact) => scope === '' || fact === undefined || fact < scope
  },
  kindOf(['Policies', 'policy'], ['policies', 'p', 'ACLPolicy'], fields('Name', 'Description', 'ID')),
  kindOf(
    ['Roles', 'role'],
    ['roles', 'r', 'ACLRole'],
    [field('Name'), names('Policies'), field('Description')]
  ),
  kindOf(
    ['Auth methods', 'auth method'],
    ['auth-methods', 'a', 'ACLAuthMethod'],
    fields('Name', 'Type', 'Description')
  ),
  kindOf(
    ['Binding rules', 'binding rule'],
    ['binding-rules', 'b', 'ACLBindingRule'],
    fields('AuthMethod', 'Selector', 'BindType', 'BindName')
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
  [field('Key'), { title: 'Value', text: ({ Value }) => decoded(Value) }, field('Flags'), field('Session')]
)

const nameOrId: Column = { title: 'Name', text: ({ Name, ID }) => textOf(Name) || textOf(ID) }

export const sessionKind: Kind = kindOf(
  ['Sessions', 'session'],
  ['sessions', 'x', 'Session'],
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
  [field('Name'), field('Description'), state]
)

const operatorKinds: readonly Kind[] = [namespaces, partitions]

export const config: Kind = kindOf(
  ['Configuration entries', 'configuration entry'],
  ['config', 'c', 'ConfigEntry'],
  [
    { ...field('Name'), width: 'minmax(6rem, 2fr)' },
    { ...field('Kind'), width: 'minmax(8rem, 1fr)' },
    { title: 'Summary', text: formatEntry, width: 'minmax(6rem, 3fr)', isWide: true },
    {
      title: 'Namespace',
      text: ({ Namespace }) => textOf(Namespace) || 'default',
      width: '7rem',
      isWide: true
    }
  ]
)

export const meshKinds: readonly Kind[] = [config]

export const services: Kind = kindOf(
  ['Services', 'service'],
  ['services', 's', 'Service'],
  [field('ID'), field('Service', 'ServiceName'), field('Address'), field('Port'), field('Tags')]
)

export const nodes: Kind = kindOf(
  ['Nodes', 'node'],
  ['nodes', 'n', 'Node'],
  [field('Name'), field('HTTPAddr'), field('ID')]
)

export const checks: Kind = kindOf(
  ['Checks', 'check'],
  ['checks', 'h', 'Check'],
  [field('Name'), field('Status'), field('Service', 'ServiceName'), field('Node'), field('Output')]
)

export const catalogKinds: readonly Kind[] = [services, nodes, checks]

export const kinds: readonly Kind[] = [
  ...accessKinds,
  ...catalogKinds,
  ...meshKinds,
  ...keysKinds,
  ...operatorKinds
]
