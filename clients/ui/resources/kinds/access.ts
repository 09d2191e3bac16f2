// The kinds of the section Access.
import { field, names, textOf, type Fields, type Kind } from '../kind.js'

/** Columns of times, displayed relative to now. */
export const LAST_USED = 'Last used'
export const EXPIRES = 'Ends'

/** The column of accessor IDs, which are abbreviated to their first characters. */
export const ACCESSOR = 'Accessor'

/** Lists the services and nodes of a token's identities. */
const identities = ({ ServiceIdentities, NodeIdentities }: Fields): string => {
  const lists = [ServiceIdentities, NodeIdentities].filter(Array.isArray)
  return lists
    .flat()
    .map(each => textOf(Reflect.get(Object(each), 'ServiceName') ?? Reflect.get(Object(each), 'NodeName')))
    .join(', ')
}

export const accessKinds: readonly Kind[] = [
  {
    path: 'tokens',
    title: 'Tokens',
    one: 'token',
    key: 't',
    topic: 'ACLToken',
    columns: [
      {
        title: 'Description',
        text: ({ Description, AccessorID }) => textOf(Description) || textOf(AccessorID),
        width: 'minmax(9rem, 2fr)'
      },
      { ...field(ACCESSOR, 'AccessorID'), width: '6rem', isWide: true },
      { ...names('Policies'), width: 'minmax(5rem, 1.5fr)' },
      { ...names('Roles'), width: 'minmax(4rem, 1.5fr)', isWide: true },
      { title: 'Identities', text: identities, isWide: true },
      {
        title: 'Source',
        text: ({ AuthMethod }) => (AuthMethod ? `login: ${textOf(AuthMethod)}` : ''),
        width: '6rem',
        isWide: true
      },
      {
        title: LAST_USED,
        text: ({ LastUsed }, _id, fact) => fact ?? textOf(LastUsed),
        width: '7rem'
      },
      { ...field(EXPIRES, 'ExpirationTime'), width: '7rem', isWide: true },
      { title: 'Local', text: ({ Local }) => (Local === true ? 'yes' : ''), width: '3.5rem', isWide: true }
    ],
    facts: '/v1/acl/tokens/last-used',
    // The scope is a time; tokens that were used after it are hidden.
    isIn: (scope, fact) => scope === '' || fact === undefined || fact < scope
  },
  {
    path: 'policies',
    title: 'Policies',
    one: 'policy',
    key: 'p',
    topic: 'ACLPolicy',
    columns: [field('Name'), field('Description'), field('ID')]
  },
  {
    path: 'roles',
    title: 'Roles',
    one: 'role',
    key: 'r',
    topic: 'ACLRole',
    columns: [field('Name'), names('Policies'), field('Description')]
  },
  {
    path: 'auth-methods',
    title: 'Auth methods',
    one: 'auth method',
    key: 'a',
    topic: 'ACLAuthMethod',
    columns: [field('Name'), field('Type'), field('Description')]
  },
  {
    path: 'binding-rules',
    title: 'Binding rules',
    one: 'binding rule',
    key: 'b',
    topic: 'ACLBindingRule',
    columns: [field('AuthMethod'), field('Selector'), field('BindType'), field('BindName')]
  }
]
