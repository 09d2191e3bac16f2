// Who may do what.
import { field, names, type Kind } from '../kind.js'

export const accessKinds: readonly Kind[] = [
  {
    path: 'tokens',
    title: 'Tokens',
    key: 't',
    topic: 'ACLToken',
    columns: [
      field('AccessorID'),
      field('Description'),
      names('Policies'),
      names('Roles'),
      names('Services', 'ServiceIdentities'),
      field('Expires', 'ExpirationTime')
    ]
  },
  {
    path: 'policies',
    title: 'Policies',
    key: 'p',
    topic: 'ACLPolicy',
    columns: [field('Name'), field('Description'), field('ID')]
  },
  {
    path: 'roles',
    title: 'Roles',
    key: 'r',
    topic: 'ACLRole',
    columns: [field('Name'), names('Policies'), field('Description')]
  },
  {
    path: 'auth-methods',
    title: 'Auth methods',
    key: 'a',
    topic: 'ACLAuthMethod',
    columns: [field('Name'), field('Type'), field('Description')]
  },
  {
    path: 'binding-rules',
    title: 'Binding rules',
    key: 'b',
    topic: 'ACLBindingRule',
    columns: [field('AuthMethod'), field('Selector'), field('BindType'), field('BindName')]
  }
]
