// The kinds of the section Server.
import { field, names, type Column, type Fields, type Kind } from '../kind.js'

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

export const namespaces: Kind = {
  path: 'namespaces',
  title: 'Namespaces',
  one: 'namespace',
  key: 'm',
  topic: 'Namespace',
  columns: [
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
}

export const partitions: Kind = {
  path: 'partitions',
  title: 'Partitions',
  one: 'partition',
  key: 'o',
  topic: 'Partition',
  columns: [field('Name'), field('Description'), state]
}

export const operatorKinds: readonly Kind[] = [namespaces, partitions]
