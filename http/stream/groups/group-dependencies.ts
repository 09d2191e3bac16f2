import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock, Timers } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { Ids } from '../../../actors/ids.js'
import { ActorSystem } from '../../../actors/system.js'
import type { LogReader } from '../../../events/log/log.js'
import { Views } from '../../../projections/read-models.js'
import { EVENT_LOG, LOGGER } from '../../../server/settings/ports.js'

@scoped(Lifecycle.ContainerScoped)
export class GroupDependencies {
  constructor(
    @inject(EVENT_LOG) readonly log: LogReader,
    @inject(LOGGER) readonly logger: Logger,
    readonly views: Views,
    readonly clock: Clock,
    readonly timers: Timers,
    readonly committer: Committer,
    readonly system: ActorSystem,
    readonly ids: Ids
  ) {}
}
