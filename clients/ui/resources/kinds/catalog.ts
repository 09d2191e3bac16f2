// The kinds of the section Catalog.
import { field, type Kind } from '../kind.js'

export const services: Kind = {
  path: 'services',
  title: 'Services',
  one: 'service',
  key: 's',
  topic: 'Service',
  columns: [field('ID'), field('Service', 'ServiceName'), field('Address'), field('Port'), field('Tags')]
}

export const nodes: Kind = {
  path: 'nodes',
  title: 'Nodes',
  one: 'node',
  key: 'n',
  topic: 'Node',
  columns: [field('Name'), field('HTTPAddr'), field('ID')]
}

export const checks: Kind = {
  path: 'checks',
  title: 'Checks',
  one: 'check',
  key: 'h',
  topic: 'Check',
  columns: [field('Name'), field('Status'), field('Service', 'ServiceName'), field('Node'), field('Output')]
}

export const catalogKinds: readonly Kind[] = [services, nodes, checks]
