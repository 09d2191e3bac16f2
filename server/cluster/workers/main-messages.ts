import type { DependencyContainer } from 'tsyringe'
import type { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'
import { DenialLog } from '../../../http/audit/denial-log.js'
import { LogLines } from '../../telemetry/logging/lines.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import { SiblingProcesses, type AddressCount } from '../../../http/wire/sibling-processes.js'
import { LOGGER } from '../../settings/ports.js'
import { Reload } from '../../settings/reload.js'
import { TokenUse } from '../../../http/wire/token-use.js'
import type { Settings } from '../../settings/settings.js'
import { AuthFailures } from '../../../http/wire/sockets/auth-failures.js'
import { MAIN_PROCESS, type FromWorker, type ToWorkers, type TokenUseReport } from './message-types.js'

/** Reports token uses, at most one per token and minute. @returns a function that flushes pending reports */
export const reportTokenUses = (
  noted: TokenUse,
  report: (uses: readonly TokenUseReport[]) => void
): (() => void) => {
  let uses: TokenUseReport[] = []
  let soon: NodeJS.Immediate | undefined
  const flush = (): void => {
    clearImmediate(soon)
    soon = undefined
    const pending = uses
    uses = []
    if (pending.length > 0) report(pending)
  }
  noted.onNoted((accessor, minute) => {
    uses.push([accessor, minute])
    soon ??= setImmediate(flush)
  })
  return flush
}

const MINUTE_MS = 60_000

/** Sends new settings, agent tokens, token uses, failures and counts to the workers. @param settingsFor returns the settings of a worker */
export const notifyWorkers = (
  scope: DependencyContainer,
  feed: WorkerFeed<ToWorkers>,
  settingsFor: (settings: Settings) => Settings
): void => {
  scope
    .resolve(Reload)
    .register(next => () => feed.sendRetained('settings', { kind: 'settings', settings: settingsFor(next) }))
  scope
    .resolve(AgentTokens)
    .signals.on('changed', (token, secret) =>
      feed.sendRetained(`token ${token}`, { kind: 'agent-token', token, secret })
    )
  scope.resolve(LogLines).onFollowed(lowest => feed.sendRetained('log', { kind: 'log-followed', lowest }))
  reportTokenUses(scope.resolve(TokenUse), uses => feed.send({ kind: 'uses', uses }))
  scope.resolve(SiblingProcesses).onCount(count => sendCount(feed, count, MAIN_PROCESS))
  scope
    .resolve(AuthFailures)
    .onCounted(address => feed.send({ kind: 'auth-failure', address, by: MAIN_PROCESS }))
}

const sendCount = (feed: WorkerFeed<ToWorkers>, count: AddressCount, by: number): void => {
  const subject = `${count.what} ${count.address}`
  const message: ToWorkers = { kind: 'count', count, by }
  if (count.count > 0) feed.sendRetained(subject, message, processOf(by))
  else feed.withdraw(subject, message, processOf(by))
}

const processOf = (by: number): string => `process ${by}`

/** Removes the counts of a worker that has ended. */
export const removeWorker = (
  scope: DependencyContainer,
  feed: WorkerFeed<ToWorkers>,
  worker: number
): void => {
  scope.resolve(SiblingProcesses).forget(worker)
  feed.withdrawAll(processOf(worker), { kind: 'ended', worker })
}

/** Returns the handler of messages from workers. */
export const handleWorkerMessages = (
  scope: DependencyContainer,
  feed: WorkerFeed<ToWorkers>
): ((message: FromWorker, by: number) => void) => {
  const uses = scope.resolve(TokenUse)
  const failures = scope.resolve(AuthFailures)
  const others = scope.resolve(SiblingProcesses)
  const denials = scope.resolve(DenialLog)
  const lines = scope.resolve(LogLines)
  const logger = scope.resolve(LOGGER)
  return (message, by) => {
    switch (message.kind) {
      case 'listening':
        return logger.info({ worker: by }, 'a worker is listening')
      case 'uses':
        for (const [accessor, minute] of message.uses) uses.note(accessor, minute * MINUTE_MS)
        return
      case 'denials':
        for (const { attempt, count } of message.attempts) denials.note(attempt, count)
        return denials.leaveOut(message.leftOut)
      case 'auth-failure':
        failures.countElsewhere(message.address)
        return feed.send({ kind: 'auth-failure', address: message.address, by })
      case 'count':
        others.take(by, message.count)
        return sendCount(feed, message.count, by)
      case 'lines': {
        for (const line of message.lines) lines.write(line)
        const { leftOut } = message
        if (leftOut > 0) logger.warn({ worker: by, lines: leftOut }, 'lines of a worker are not shown here')
        return
      }
      case 'beat':
      case 'newest':
      case 'follow':
      case 'report':
    }
  }
}
