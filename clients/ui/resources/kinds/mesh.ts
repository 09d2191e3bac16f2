// The kind of the section Mesh.
import { formatEntry } from '../format-entry.js'
import { field, textOf, type Kind } from '../kind.js'

export const config: Kind = {
  path: 'config',
  title: 'Configuration entries',
  one: 'configuration entry',
  key: 'c',
  topic: 'ConfigEntry',
  columns: [
    field('Name'),
    field('Kind'),
    { title: 'Says', text: formatEntry },
    { title: 'Namespace', text: ({ Namespace }) => textOf(Namespace) || 'default' }
  ]
}

export const meshKinds: readonly Kind[] = [config]
