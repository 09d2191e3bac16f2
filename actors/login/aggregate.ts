// The aggregate of logins: what they change is a token.
import type { Aggregate } from '../aggregate.js'
import { tokenLifecycle } from '../token.js'
import type { Login } from './commands.js'
import { decideLogin } from './decide.js'

export const loginAggregate: Aggregate<Login> = { lifecycle: tokenLifecycle, decide: decideLogin }
