// The kinds of access control.
import {
  type Fields,
  textIn,
  field,
  type Kind,
  kindOf,
  NAMESPACE,
  textOf,
  names,
  resourcePage
} from './kind.js'
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
    [field('Name'), field('Type'), field('Description'), NAMESPACE]
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
