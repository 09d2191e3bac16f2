// The parts of a server that go by new settings while it runs, and would not see them by themselves.
import type { Logger } from 'pino'
import type { ActorSystem } from '../actors/system.js'
import type { LogLines } from './telemetry/logging/lines.js'
import type { AgentTokens } from './settings/agent-tokens.js'
import type { Reload } from './settings/reload.js'
import type { InitialResources } from '../http/initial-resources.js'

/** To be called when all others have registered. */
export const registerReloadable = (
  reload: Reload,
  logger: Logger,
  lines: LogLines,
  agentTokens: AgentTokens,
  seed: InitialResources,
  system: ActorSystem
): void => {
  reload.register(
    ({ log }) =>
      () =>
        lines.setOwnLevel(logger, log.level)
  )
  reload.register(({ acl: { tokens } }, before) => () => {
    // One that was set while the server runs stays, unless the configuration says something new.
    if (tokens.default !== before.acl.tokens.default) agentTokens.use('default', tokens.default ?? '')
  })
  // Last of the parts: what the log has cannot be taken back when another part refuses the new settings.
  reload.register(async next => {
    // Whoever leads next does it when it begins.
    if (system.isDeciding) await seed.plantAcl(next)
    return () => {}
  })
}
