// Where things are.
import { field, type Kind } from '../kind.js'

export const operatorKinds: readonly Kind[] = [
  {
    path: 'namespaces',
    title: 'Namespaces',
    key: 'm',
    topic: 'Namespace',
    columns: [field('Name'), field('Description')]
  },
  {
    path: 'partitions',
    title: 'Partitions',
    key: 'o',
    topic: 'Partition',
    columns: [field('Name'), field('Description')]
  }
]
