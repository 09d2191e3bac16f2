// How services reach each other.
import { field, type Kind } from '../kind.js'

export const meshKinds: readonly Kind[] = [
  {
    path: 'config',
    title: 'Configuration entries',
    key: 'c',
    topic: 'ConfigEntry',
    columns: [field('Kind'), field('Name')]
  }
]
