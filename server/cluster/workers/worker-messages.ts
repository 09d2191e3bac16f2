import type { DependencyContainer } from 'tsyringe'
import type { ErasureNotice } from '../../../events/log/cluster/publishing-store.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import { SiblingProcesses } from '../../../http/wire/sibling-processes.js'
import { LOGGER } from '../../settings/ports.js'
import { Reload } from '../../settings/reload.js'
import { TokenUse } from '../../../http/wire/token-use.js'
import type { Settings } from '../../settings/settings.js'
import type { LineLevel } from '../../telemetry/logging/lines.js'
import { AuthFailures } from '../../../http/wire/sockets/auth-failures.js'
import type { ClusterRoleUpdate, ToWorkers } from './message-types.js'

interface MessageHandlers {
  readonly number: number
  /** Sets the settings for the reload that follows. Returns a function that restores the previous ones. */
  readonly use: (settings: Settings) => () => void
  /** The log was swapped so many times: see `WorkerStart`. */
  readonly replaced: (exchanges: number) => void
  readonly followLog: (lowest: LineLevel | undefined) => void
  readonly part: (part: ClusterRoleUpdate) => void
}

export const handleMainMessages =
  (scope: DependencyContainer, { number, use, replaced, followLog, part }: MessageHandlers) =>
  (message: Exclude<ToWorkers, ErasureNotice>): void | Promise<void> => {
    switch (message.kind) {
      case 'settings':
        return reload(scope, use(message.settings))
      case 'agent-token':
        return scope.resolve(AgentTokens).use(message.token, message.secret)
      case 'uses':
        for (const [accessor, minute] of message.uses) scope.resolve(TokenUse).recall(accessor, minute)
        return
      case 'auth-failure':
        if (message.by !== number) scope.resolve(AuthFailures).countElsewhere(message.address)
        return
      case 'count':
        if (message.by !== number) scope.resolve(SiblingProcesses).take(message.by, message.count)
        return
      case 'ended':
        return scope.resolve(SiblingProcesses).forget(message.worker)
      case 'part':
        return part(message.part)
      case 'log-followed':
        return followLog(message.lowest)
      case 'replaced':
        return replaced(message.exchanges)
    }
  }

/** Fails if a file of the settings has changed since the main process read it. */
const reload = async (scope: DependencyContainer, putBack: () => void): Promise<void> => {
  try {
    await scope.resolve(Reload).run()
  } catch (error) {
    putBack()
    scope
      .resolve(LOGGER)
      .error({ err: error }, 'this worker cannot use the new configuration, and keeps the old one')
  }
}
