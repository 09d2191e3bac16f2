// All kinds of resources that the pages show.
import { accessKinds } from './kinds/access.js'
import { catalogKinds } from './kinds/catalog.js'
import { keysKinds } from './kinds/keys.js'
import { meshKinds } from './kinds/mesh.js'
import { operatorKinds } from './kinds/operator.js'
import type { Kind } from './kind.js'

export const kinds: readonly Kind[] = [
  ...accessKinds,
  ...catalogKinds,
  ...meshKinds,
  ...keysKinds,
  ...operatorKinds
]
