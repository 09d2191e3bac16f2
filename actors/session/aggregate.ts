// The aggregate of sessions.
import type { Aggregate } from '../aggregate.js'
import type { SessionCommand } from './commands.js'
import { decideSession } from './decide.js'
import { sessionLife } from './machine.js'

export const sessionAggregate: Aggregate<SessionCommand> = { life: sessionLife, decide: decideSession }
