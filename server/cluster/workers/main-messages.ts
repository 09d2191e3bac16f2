// The main process tells its workers what is not in the log, and takes what they tell.
import type { DependencyContainer } from 'tsyringe'
import type { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'
import { DenialLog } from '../../../http/audit/denial-log.js'
import { LogLines } from '../../telemetry/logging/lines.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import { SiblingProcesses } from '../../../http/wire/sibling-processes.js'
import type { AddressCount } from '../../../http/wire/sibling-processes.js'
import { LOGGER } from '../../settings/ports.js'
import { Reload } from '../../settings/reload.js'
import { TokenUse } from '../../../http/wire/token-use.js'
import type { Settings } from '../../settings/settings.js'
import { AuthFailures } from '../../../http/wire/sockets/auth-failures.js'
import { MAIN_PROCESS } from './message-types.js'
import type { FromWorker, ToWorkers, TokenUseReport } from './message-types.js'

/**
 * Has the uses told that are noted from now on; each token comes at most once a minute.
 * @returns what tells at once
 */
export const reportTokenUses = (
  noted: TokenUse,
  tell: (uses: readonly TokenUseReport[]) => void
): (() => void) => {
  let uses: TokenUseReport[] = []
  let soon: NodeJS.Immediate | undefined
  const flush = (): void => {
    clearImmediate(soon)
    soon = undefined
    const told = uses
    uses = []
    if (told.length > 0) tell(told)
  }
  noted.onNoted((accessor, minute) => {
    uses.push([accessor, minute])
    soon ??= setImmediate(flush)
  })
  return flush
}

const MINUTE_MS = 60_000

/**
 * From now on the workers are told of new settings, tokens of the agent, uses of tokens, failures, and what is counted here.
 * @param settingsFor makes the settings of a worker of those of the server
 */
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
    .onChange((token, secret) => feed.sendRetained(`token ${token}`, { kind: 'agent-token', token, secret }))
  scope.resolve(LogLines).onFollowed(lowest => feed.sendRetained('log', { kind: 'log-followed', lowest }))
  reportTokenUses(scope.resolve(TokenUse), uses => feed.send({ kind: 'uses', uses }))
  scope.resolve(SiblingProcesses).onCount(count => tellCount(feed, count, MAIN_PROCESS))
  scope
    .resolve(AuthFailures)
    .onCounted(address => feed.send({ kind: 'auth-failure', address, by: MAIN_PROCESS }))
}

const tellCount = (feed: WorkerFeed<ToWorkers>, count: AddressCount, by: number): void => {
  const subject = `${count.what} ${count.address}`
  const message: ToWorkers = { kind: 'count', count, by }
  if (count.count > 0) feed.sendRetained(subject, message, processOf(by))
  else feed.withdraw(subject, message, processOf(by))
}

const processOf = (by: number): string => `process ${by}`

/** A worker has ended: its connections and streams count no more. */
export const removeWorker = (
  scope: DependencyContainer,
  feed: WorkerFeed<ToWorkers>,
  worker: number
): void => {
  scope.resolve(SiblingProcesses).forget(worker)
  feed.withdrawAll(processOf(worker), { kind: 'ended', worker })
}

/** What is to be called with what a worker tells. */
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
        return tellCount(feed, message.count, by)
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
