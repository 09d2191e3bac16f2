// The aggregate of namespaces. Its commands are on things of a partition: the namespaces themselves.
import type { Aggregate } from '../aggregate.js'
import type { NamespaceCommand } from './commands.js'
import { decideNamespace } from './decide.js'
import { namespaceLife } from './machine.js'

export const namespaceAggregate: Aggregate<NamespaceCommand> = {
  life: namespaceLife,
  scope: 'partition',
  decide: decideNamespace
}
