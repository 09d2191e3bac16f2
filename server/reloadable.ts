// Applies new settings to parts of the server that do not read them on use.
import type { Logger } from 'pino'
import type { ActorSystem } from '../actors/system.js'
import type { LogLines } from './telemetry/logging/lines.js'
import type { AgentTokens } from './settings/agent-tokens.js'
import type { Reload } from './settings/reload.js'
import type { InitialResources } from '../http/initial-resources.js'

/** Applies a new log level. */
export const reloadLogLevel = (reload: Reload, logger: Logger, lines: LogLines): void =>
  reload.register(
    ({ log }) =>
      () =>
        lines.setOwnLevel(logger, log.level)
  )

/** Call after all other registrations. */
export const reloadTokens = (
  reload: Reload,
  agentTokens: AgentTokens,
  seed: InitialResources,
  system: ActorSystem
): void => {
  reload.register(({ acl: { tokens } }, before) => () => {
    // A token that was set at run time stays, unless the configuration changes.
    if (tokens.default !== before.acl.tokens.default) agentTokens.use('default', tokens.default ?? '')
  })
  // Last, because commits cannot be undone if another part rejects the settings.
  reload.register(async next => {
    // Otherwise the next leader does it at its start.
    if (system.isDeciding) await seed.plantAcl(next)
    return () => {}
  })
}
