// Keys and what is kept beside them.
import { decoded, field, textOf, type Kind } from '../kind.js'

export const keysKinds: readonly Kind[] = [
  {
    path: 'keys',
    title: 'Keys',
    key: 'k',
    topic: 'KV',
    isTree: true,
    columns: [
      field('Key'),
      { title: 'Value', text: ({ Value }) => decoded(Value) },
      field('Flags'),
      field('Session')
    ]
  },
  {
    path: 'sessions',
    title: 'Sessions',
    key: 'x',
    topic: 'Session',
    columns: [field('Name'), field('ID'), field('Node'), field('TTL'), field('Behavior')]
  },
  {
    path: 'queries',
    title: 'Prepared queries',
    key: 'q',
    topic: 'PreparedQuery',
    columns: [
      field('Name'),
      { title: 'Service', text: ({ Service }) => textOf(Reflect.get(Object(Service), 'Service')) },
      field('ID')
    ]
  }
]
