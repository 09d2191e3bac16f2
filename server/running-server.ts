import { existsSync } from 'node:fs'
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../actors/committer.js'
import { runBeside } from '../http/wire/cooperative-chunks.js'
import { factory } from '../actors/factories.js'
import { RESTORE } from '../actors/ports.js'
import { Views } from '../projections/read-models.js'
import type { LogReader } from '../events/log/log.js'
import type { ProvableLog } from '../events/log/provable-log.js'
import { datacentersOf, tracingOf } from './capabilities.js'
import { ComponentRunner, type Capability, type Component } from './component.js'
import { standaloneComponents, type OptionalComponents } from './components.js'
import { compose, snapshotStoresOf } from './compose.js'
import { registerLeaderProcesses } from './leader-process-registration.js'
import { Listeners, PORT_SHARING, type ServerPorts } from './components.js'
import { type LiveSettings, logFolder, type Settings } from './settings/settings.js'
import { keepNodeId } from './settings/node-id.js'
import { EVENT_LOG, LOGGER, OWN_LOG, SETTINGS } from './settings/ports.js'
import { ServerSnapshots } from './snapshots/server-snapshots.js'
import { stateDigestSteps, writeStateDigest } from './snapshots/state-digest.js'

export type { ServerPorts } from './components.js'

export interface RunningServer extends ServerPorts {
  readonly scope: DependencyContainer
  /** Finishes requests in flight, closes the log, and writes a state digest. */
  readonly close: () => Promise<void>
}

/** Writes the state digest if the state is durable. A log in memory has no folder. */
const recordState = async (dataDir: string, views: Views, committer: Committer, log: LogReader) => {
  if (!existsSync(logFolder(dataDir))) return
  if (committer.isReadable && log.durableIndex === views.index)
    await writeStateDigest(dataDir, await runBeside(stateDigestSteps(views)))
}

interface ServerPlan {
  readonly register: (scope: DependencyContainer) => void
  readonly components: (settings: Settings, more: OptionalComponents) => readonly Component[]
  /** Shares the server's ports. */
  readonly workers?: Capability | undefined
  /** Replaces registrations, for tests. */
  readonly override?: ((scope: DependencyContainer) => void) | undefined
}

const registerServer = (scope: DependencyContainer, log: ProvableLog): void => {
  scope.registerInstance(OWN_LOG, log)
  scope.registerInstance(PORT_SHARING, 'alone')
  const snapshots = factory(
    [SETTINGS, OWN_LOG, LOGGER],
    (settings, own, logger) => new ServerSnapshots(settings, own, snapshotStoresOf(own), logger)
  )
  scope.register(ServerSnapshots, snapshots)
  scope.register(
    RESTORE,
    factory([ServerSnapshots], all => (views: Views) => all.restore(views))
  )
}

/** Composes a server and loads its capabilities. */
const planned = async (live: LiveSettings, log: ProvableLog, plan: ServerPlan) => {
  const settings = live.current
  if (existsSync(logFolder(settings.data_dir))) keepNodeId(settings)
  const [tracing, datacenters] = [await tracingOf(settings, ''), await datacentersOf(settings)]
  const scope = compose(live, log)
  registerServer(scope, log)
  plan.register(scope)
  for (const capability of [tracing, datacenters, plan.workers]) capability?.register(scope)
  plan.override?.(scope)
  const components = plan.components(settings, {
    tracing: tracing?.components,
    datacenters: datacenters?.components,
    workers: plan.workers?.components
  })
  return { scope, components }
}

/** Starts a server as planned. After a failure, everything is closed and the data folder released. */
export const runServer = async (
  live: LiveSettings,
  log: ProvableLog,
  plan: ServerPlan
): Promise<RunningServer> => {
  const { scope, components } = await planned(live, log, plan).catch(async error => {
    await log.close()
    throw error
  })
  const runner = await ComponentRunner.start(scope, components)
  const [views, committer, eventLog] = [
    scope.resolve(Views),
    scope.resolve(Committer),
    scope.resolve(EVENT_LOG)
  ]
  const close = async (): Promise<void> => {
    await runner.stop()
    await recordState(live.current.data_dir, views, committer, eventLog)
  }
  return { scope, ...scope.resolve(Listeners).ports, close }
}

/**
 * Builds the read models, creates the initial resources, and listens. After a failure, everything is closed and the data folder released.
 * @param override replaces registrations, for tests
 * @throws ListenError if a port is unavailable
 */
export const startServer = (
  live: LiveSettings,
  log: ProvableLog,
  override?: (scope: DependencyContainer) => void,
  workers?: Capability
): Promise<RunningServer> =>
  runServer(live, log, {
    register: scope => registerLeaderProcesses(scope),
    components: standaloneComponents,
    workers,
    override
  })
