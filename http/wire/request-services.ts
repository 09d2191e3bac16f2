import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { Ids } from '../../actors/ids.js'
import { ActorSystem } from '../../actors/system.js'
import { Views } from '../../projections/read-models.js'
import { ArrivalState } from './bodies/incoming-request.js'
import { DenialLog } from '../audit/denial-log.js'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import { AgentTokens } from '../../server/settings/agent-tokens.js'
import { AccessUsage } from './access-usage.js'
import { Chunks } from './cooperative-chunks.js'
import { TokenUse } from './token-use.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { REMOTE_TOKEN_RESOLUTION, type RemoteTokenResolution } from './remote-token-resolution.js'

/** The services that every request uses. Services of particular routes are passed to the functions that create those routes. */
@scoped(Lifecycle.ContainerScoped)
export class RequestServices {
  constructor(
    readonly arrivals: ArrivalState,
    readonly live: LiveSettings,
    readonly views: Views,
    readonly system: ActorSystem,
    readonly committer: Committer,
    readonly clock: Clock,
    readonly ids: Ids,
    readonly agentTokens: AgentTokens,
    readonly tokenUse: TokenUse,
    readonly accessUsage: AccessUsage,
    readonly metrics: Metrics,
    readonly denials: DenialLog,
    readonly chunks: Chunks,
    @inject(REMOTE_TOKEN_RESOLUTION, { isOptional: true })
    readonly remoteTokens: RemoteTokenResolution | undefined
  ) {}
}
