import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import type { ErasureNotice } from '../../../events/log/cluster/worker-feed.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import { SiblingProcesses } from '../../../http/wire/sibling-processes.js'
import { LOGGER } from '../../settings/ports.js'
import { Reload } from '../../settings/reload.js'
import { TokenUse } from '../../../http/wire/token-use.js'
import type { Settings } from '../../settings/settings.js'
import { AuthFailures } from '../../../http/wire/sockets/auth-failures.js'
import { FeedFollower } from './feed-follower.js'
import { LinesToMain } from './lines-to-main.js'
import { MAIN_LINK, type MainLink } from './main-link.js'
import type { ToWorkers } from './message-types.js'
import { WorkerPort } from './worker-port.js'

/** Handles the messages of the main process. */
@scoped(Lifecycle.ContainerScoped)
export class WorkerMessages {
  constructor(
    @inject(MAIN_LINK) private readonly link: MainLink,
    private readonly agentTokens: AgentTokens,
    private readonly uses: TokenUse,
    private readonly failures: AuthFailures,
    private readonly siblings: SiblingProcesses,
    private readonly lines: LinesToMain,
    private readonly port: WorkerPort,
    private readonly follower: FeedFollower,
    private readonly reload: Reload,
    @inject(LOGGER) private readonly logger: Logger
  ) {}

  handle(message: Exclude<ToWorkers, ErasureNotice>): void | Promise<void> {
    const { number } = this.link.start
    switch (message.kind) {
      case 'settings':
        return this.#reload(message.settings)
      case 'agent-token':
        return this.agentTokens.use(message.token, message.secret)
      case 'uses':
        for (const [accessor, minute] of message.uses) this.uses.recall(accessor, minute)
        return
      case 'auth-failure':
        if (message.by !== number) this.failures.countElsewhere(message.address)
        return
      case 'count':
        if (message.by !== number) this.siblings.take(message.by, message.count)
        return
      case 'ended':
        return this.siblings.forget(message.worker)
      case 'part':
        return this.port.updateRole(message.part)
      case 'log-followed':
        return this.lines.follow(message.lowest)
      case 'replaced':
        return this.#retire(message.exchanges)
    }
  }

  /** @param exchanges how often the log was swapped: see `WorkerStart` */
  #retire(exchanges: number): void {
    if (exchanges <= this.link.start.exchanges) return
    this.port.retire()
    this.follower.retire()
  }

  /** Fails if a file of the settings has changed since the main process read it. */
  async #reload(settings: Settings): Promise<void> {
    const before = this.link.settings
    this.link.settings = settings
    try {
      await this.reload.run()
    } catch (error) {
      this.link.settings = before
      this.logger.error({ err: error }, 'this worker cannot use the new configuration, and keeps the old one')
    }
  }
}
