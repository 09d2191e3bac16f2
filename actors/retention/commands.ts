// Commands on the log itself.
import type { Retention } from '../../events/retention.js'
import type { Command } from '../command.js'

/** The commits up to an index may go: their base is there. */
export type RetainLog = Command<'RetainLog', Retention>
