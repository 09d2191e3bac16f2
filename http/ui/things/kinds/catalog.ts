// What runs where, and how it is.
import { field, type Kind } from '../kind.js'

export const catalogKinds: readonly Kind[] = [
  {
    path: 'services',
    title: 'Services',
    key: 's',
    topic: 'Service',
    columns: [field('Service', 'ServiceName'), field('ID'), field('Address'), field('Port'), field('Tags')]
  },
  {
    path: 'checks',
    title: 'Checks',
    key: 'h',
    topic: 'Check',
    columns: [field('Status'), field('Name'), field('Service', 'ServiceName'), field('Node'), field('Output')]
  },
  {
    path: 'nodes',
    title: 'Nodes',
    key: 'n',
    topic: 'Node',
    columns: [field('Name'), field('HTTPAddr'), field('ID')]
  }
]
