// The aggregate of ACL tokens.
import type { Aggregate } from '../aggregate.js'
import type { TokenCommand } from './commands.js'
import { decideToken } from './decide.js'
import { tokenLife } from './machine.js'

export const tokenAggregate: Aggregate<TokenCommand> = { life: tokenLife, decide: decideToken }
