// The components of a server, except its listeners and what depends on them.
import { ClockWatch, Clock, Deadlines } from '../actors/clock.js'
import { Committer } from '../actors/committer.js'
import { optional } from '../actors/factories.js'
import { Logins } from '../actors/login/logins.js'
import { Destinations } from '../actors/outgoing/destinations.js'
import { GuardedClient } from '../actors/outgoing/guarded-client.js'
import { PEER_SERVERS } from '../actors/ports.js'
import { CheckRunners } from '../actors/processes/check-runners.js'
import { ResponseExpiration } from '../actors/processes/response-expiration.js'
import { ActorSystem } from '../actors/system.js'
import { retentionEvents } from '../events/retention.js'
import { AccessUsageStore } from '../http/wire/access-usage-store.js'
import { DenialLog } from '../http/audit/denial-log.js'
import { LogEvidence } from '../http/wire/log-evidence.js'
import { Views } from '../projections/read-models.js'
import { AccessUsageFiles } from './access-usage-files.js'
import { component, type Component } from './component.js'
import type { Logger } from 'pino'
import { LogWitnesses } from './log-witnesses.js'
import { ServerMetrics } from './observe.js'
import { destinationRules, OutgoingCertificates } from './outgoing.js'
import { exposuresOf } from './settings/listeners.js'
import { LOGGER, OWN_LOG, SETTINGS } from './settings/ports.js'
import { Reload } from './settings/reload.js'
import { ServerSnapshots } from './snapshots/server-snapshots.js'
import { Metrics } from './telemetry/metrics/metrics.js'
import { TokenUseFile } from './token-use-file.js'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { RESTORE_PIECE } from '../actors/snapshot/restore-snapshot.js'
import { CURSOR_TOPIC, isCursorEvent } from '../events/cursor.js'

@scoped(Lifecycle.ContainerScoped)
class CursorReports {
  constructor(
    private readonly committer: Committer,
    @inject(LOGGER) private readonly logger: Logger
  ) {}

  start(): void {
    this.committer.on(CURSOR_TOPIC, (event, { By }) => {
      if (By.Command !== RESTORE_PIECE || !isCursorEvent(event) || event.Type !== 'CursorUpserted') return
      const { Name, Index, ClampedFrom } = event.Payload.Cursor
      if (ClampedFrom === undefined) return
      this.logger.warn(
        { cursor: Name, index: Index, from: ClampedFrom },
        'a cursor stood behind the end of this log, and was set back to it'
      )
    })
  }
}

export const ownLog = component([OWN_LOG], { stop: log => log.close() })

export const readModels = (needs: Component['needs']): Component =>
  component([Committer], {
    needs: [OWN_LOG, ...needs],
    start: committer => committer.rebuild(),
    stop: committer => committer.stop()
  })

export const outgoingCertificates = component([OutgoingCertificates], {
  start: certificates => certificates.start(),
  stop: certificates => certificates.stop()
})

export const deadlines = component([Deadlines], { stop: all => all.stop() })

export const denials = component([DenialLog], { needs: [OWN_LOG], stop: log => log.flush() })

export const evidence = component([LogEvidence, OWN_LOG], {
  needs: [OWN_LOG],
  start: (log, own) => log.open(own),
  stop: log => log.close()
})

export const destinations = component([Destinations, Reload], {
  needs: [Committer],
  start: (allowed, reload) => reload.register(next => () => allowed.use(destinationRules(next)))
})

export const exposures = component([LOGGER, SETTINGS], {
  start: (logger, settings) => {
    for (const exposure of exposuresOf(settings)) logger.warn(exposure)
  }
})

export const clockWatch = component([ClockWatch, LOGGER], {
  needs: [Deadlines],
  start: (watch, logger) => {
    watch.signals.on('jumped', ms => logger.warn({ ms }, 'the clock was set, or the machine slept'))
    watch.start()
  },
  stop: watch => watch.stop()
})

export const witnesses = component([LogWitnesses], {
  needs: [LogEvidence, OutgoingCertificates, GuardedClient],
  start: all => all.open(),
  stop: all => all.close()
})

export const checkRunners = component([CheckRunners, SETTINGS], {
  needs: [Committer, Deadlines, GuardedClient],
  start: (runners, { node_name: node }) => runners.start(node),
  stop: runners => runners.stop()
})

export const cursorReports = component([CursorReports], {
  needs: [Committer],
  start: reports => reports.start()
})

/** Logs that expired idempotent responses could not be deleted. */
export const reportResponsesRetained =
  (logger: Logger) =>
  (error: unknown): void =>
    logger.warn({ err: error }, 'expired idempotent responses could not be deleted')

export const responseErasure = component([ResponseExpiration, LOGGER], {
  needs: [Committer],
  start: (expiration, logger) => expiration.eraseForgotten(reportResponsesRetained(logger))
})

export const tokenUses = component([TokenUseFile], {
  needs: [Committer],
  start: file => file.open(),
  stop: file => file.close()
})

/** The use of rights, which only a server with a data folder stores. */
export const accessUsage = (hasFolder: boolean): Component =>
  hasFolder
    ? component([AccessUsageFiles], {
        needs: [Committer],
        start: files => files.open(),
        stop: files => files.close()
      })
    : component([AccessUsageStore], { needs: [Committer], start: store => store.start() })

export const logins = component([Logins], { stop: all => all.close() })

export const metrics = component([ServerMetrics], {
  start: all => all.start(),
  stop: all => all.stop()
})

export const snapshots = component(
  [ServerSnapshots, Views, ActorSystem, Clock, Metrics, Committer, optional(PEER_SERVERS)],
  {
    needs: [Committer],
    start: (writer, views, system, clock, measures, committer, others) => {
      writer.start({ views, system, clock, metrics: measures, others })
      if (others)
        committer.on(retentionEvents.topic, () => {
          if (!others.decides()) writer.lookAtRetention()
        })
    },
    stop: writer => writer.stop()
  }
)
