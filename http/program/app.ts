// What routes work with: the long-lived services of one server.
import type { Logger } from 'pino'
import type { Clock } from '../../actors/clock.js'
import type { Committer } from '../../actors/committer.js'
import type { Ids } from '../../actors/ids.js'
import type { SnapshotRestores } from '../../actors/snapshot/restores.js'
import type { SessionExpiry } from '../../actors/processes/session-expiry.js'
import type { Logins } from '../../actors/login/logins.js'
import type { ActorSystem } from '../../actors/system.js'
import type { EventLog } from '../../events/log/log.js'
import type { Datacenters } from '../../projections/queries/failover.js'
import type { Beside } from '../../projections/restore.js'
import type { Views } from '../../projections/views.js'
import type { ReadCache } from '../wire/reads/cache.js'
import type { CheckRunners } from '../../actors/processes/check-runners.js'
import type { CoordinateBatches } from '../../actors/processes/coordinate-batches.js'
import type { AgentTokens } from './agent-tokens.js'
import type { AuthFailures } from '../wire/sockets/auth-failures.js'
import type { LogLines } from '../logging/lines.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Reload } from './reload.js'
import type { Settings } from '../settings/settings.js'
import type { EventStreams } from '../stream/event-streams.js'
import type { UserEvents } from '../routes/events/user-events.js'
import type { TokenListBytes } from '../routes/acl/token-list-bytes.js'
import type { TokenUse } from './token-use.js'

export interface App {
  /** As they are now: a reload may change some of them. */
  readonly settings: Settings
  readonly reload: Reload
  readonly agentTokens: AgentTokens
  readonly authFailures: AuthFailures
  readonly views: Views
  readonly system: ActorSystem
  readonly committer: Committer
  readonly log: EventLog
  /** Undefined for a log that is kept nowhere. */
  readonly beside: Beside | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly logLines: LogLines
  readonly metrics: Metrics
  readonly streams: EventStreams
  readonly userEvents: UserEvents
  readonly checkRunners: CheckRunners
  readonly coordinateBatches: CoordinateBatches
  readonly tokenUse: TokenUse
  readonly tokenLists: TokenListBytes
  readonly sessionExpiry: SessionExpiry
  readonly logins: Logins
  readonly restores: SnapshotRestores
  readonly cache: ReadCache
  /** The other datacenters, for queries that fail over to them. */
  readonly datacenters: Datacenters
  /** Aborts when the server begins to end: blocking queries answer, streams close. */
  readonly closing: AbortSignal
}
