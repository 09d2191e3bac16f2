// What a worker does with what the main process tells beside the log.
import type { DependencyContainer } from 'tsyringe'
import type { ErasureWord } from '../../events/log/cluster/feeding-store.js'
import { AgentTokens } from '../program/agent-tokens.js'
import { OtherProcesses } from '../program/other-processes.js'
import { Reload } from '../program/reload.js'
import { TokenUse } from '../program/token-use.js'
import type { Settings } from '../settings/settings.js'
import { AuthFailures } from '../wire/sockets/auth-failures.js'
import type { ClusterPart, ToWorkers } from './messages.js'

interface Hearer {
  /** Of this worker. */
  readonly number: number
  /** Takes the settings that the main process goes by now, for the reload that follows. */
  readonly use: (settings: Settings) => void
  /** The read models are no more those of the server. */
  readonly replaced: () => void
  /** In a cluster. */
  readonly part: (part: ClusterPart) => void
}

export const hearing =
  (scope: DependencyContainer, { number, use, replaced, part }: Hearer) =>
  (message: Exclude<ToWorkers, ErasureWord>): void | Promise<void> => {
    switch (message.kind) {
      case 'settings':
        use(message.settings)
        return scope.resolve(Reload).run()
      case 'agent-token':
        return scope.resolve(AgentTokens).use(message.token, message.secret)
      case 'uses':
        for (const [accessor, minute] of message.uses) scope.resolve(TokenUse).recall(accessor, minute)
        return
      case 'auth-failure':
        if (message.by !== number) scope.resolve(AuthFailures).countElsewhere(message.address)
        return
      case 'count':
        if (message.by !== number) scope.resolve(OtherProcesses).take(message.by, message.count)
        return
      case 'ended':
        return scope.resolve(OtherProcesses).forget(message.worker)
      case 'part':
        return part(message.part)
      case 'replaced':
        return replaced()
    }
  }
