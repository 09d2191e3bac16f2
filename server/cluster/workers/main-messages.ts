import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import type { Logger } from 'pino'
import type { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'
import { AccessUsageStore } from '../../../http/wire/access-usage-store.js'
import { DenialLog } from '../../../http/audit/denial-log.js'
import { LogLines } from '../../telemetry/logging/lines.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import { SiblingProcesses, type AddressCount } from '../../../http/wire/sibling-processes.js'
import { LOGGER } from '../../settings/ports.js'
import { Reload } from '../../settings/reload.js'
import { TokenUse } from '../../../http/wire/token-use.js'
import type { Settings } from '../../settings/settings.js'
import { AuthFailures } from '../../../http/wire/sockets/auth-failures.js'
import { MAIN_PROCESS, type FromWorker, type ToWorkers } from './message-types.js'
import { reportTokenUses } from './token-use-reports.js'

const MINUTE_MS = 60_000

const sendCount = (feed: WorkerFeed<ToWorkers>, count: AddressCount, by: number): void => {
  const subject = `${count.what} ${count.address}`
  const message: ToWorkers = { kind: 'count', count, by }
  if (count.count > 0) feed.sendRetained(subject, message, processOf(by))
  else feed.withdraw(subject, message, processOf(by))
}

const processOf = (by: number): string => `process ${by}`

export const WORKER_FEED: InjectionToken<WorkerFeed<ToWorkers>> = Symbol('WorkerFeed')

/** Exchanges messages with the workers. */
@scoped(Lifecycle.ContainerScoped)
export class MainMessages {
  constructor(
    @inject(WORKER_FEED) private readonly feed: WorkerFeed<ToWorkers>,
    private readonly reload: Reload,
    private readonly agentTokens: AgentTokens,
    private readonly lines: LogLines,
    private readonly uses: TokenUse,
    private readonly siblings: SiblingProcesses,
    private readonly failures: AuthFailures,
    private readonly denials: DenialLog,
    private readonly questions: AccessUsageStore,
    @inject(LOGGER) private readonly logger: Logger
  ) {}

  /** Sends new settings, agent tokens, token uses, failures and counts to the workers. @param settingsFor returns the settings of a worker */
  start(settingsFor: (settings: Settings) => Settings): void {
    const { feed } = this
    this.reload.register(
      next => () => feed.sendRetained('settings', { kind: 'settings', settings: settingsFor(next) })
    )
    this.agentTokens.signals.on('changed', (token, secret) =>
      feed.sendRetained(`token ${token}`, { kind: 'agent-token', token, secret })
    )
    this.lines.onFollowed(lowest => feed.sendRetained('log', { kind: 'log-followed', lowest }))
    reportTokenUses(this.uses, uses => feed.send({ kind: 'uses', uses }))
    this.siblings.onCount(count => sendCount(feed, count, MAIN_PROCESS))
    this.failures.onCounted(address => feed.send({ kind: 'auth-failure', address, by: MAIN_PROCESS }))
  }

  /** Removes the counts of a worker that has ended. */
  removeWorker(worker: number): void {
    this.siblings.forget(worker)
    this.feed.withdrawAll(processOf(worker), { kind: 'ended', worker })
  }

  /** Handles a message of a worker. */
  handle(message: FromWorker, by: number): void {
    switch (message.kind) {
      case 'listening':
        return this.logger.info({ worker: by }, 'a worker is listening')
      case 'uses':
        for (const [accessor, minute] of message.uses) this.uses.note(accessor, minute * MINUTE_MS)
        return
      case 'questions':
        return this.questions.add(message.report, message.minute)
      case 'denials':
        for (const { attempt, count } of message.attempts) this.denials.note(attempt, count)
        return this.denials.leaveOut(message.leftOut)
      case 'auth-failure':
        this.failures.countElsewhere(message.address)
        return this.feed.send({ kind: 'auth-failure', address: message.address, by })
      case 'count':
        this.siblings.take(by, message.count)
        return sendCount(this.feed, message.count, by)
      case 'lines': {
        for (const line of message.lines) this.lines.write(line)
        const { leftOut } = message
        if (leftOut > 0)
          this.logger.warn({ worker: by, lines: leftOut }, 'log lines of a worker were dropped')
        return
      }
      case 'beat':
      case 'newest':
      case 'follow':
      case 'report':
    }
  }
}
