// The aggregate of the catalog: its commands change nodes, services and checks at once.
import type { Aggregate } from '../aggregate.js'
import { nodeLifecycle } from '../node/machine.js'
import type { CatalogCommand } from './commands.js'
import { decideCatalog } from './decide.js'

export const catalogAggregate: Aggregate<CatalogCommand> = { lifecycle: nodeLifecycle, decide: decideCatalog }
