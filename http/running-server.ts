// A whole server from its start to its end: log, read models, processes, HTTP.
import { existsSync } from 'node:fs'
import type { DependencyContainer } from 'tsyringe'
import { ClockWatch } from '../actors/clock-watch.js'
import { Deadlines } from '../actors/deadlines.js'
import { Destinations } from '../actors/outgoing/destinations.js'
import { OutgoingTls } from '../actors/outgoing/outgoing-tls.js'
import { BackgroundRemoval } from '../actors/processes/removal/removal.js'
import { Expiry, oidcRequestExpiry, tokenExpiry } from '../actors/processes/expiry.js'
import { RESTORE } from '../actors/ports.js'
import type { EventLog } from '../events/log/log.js'
import type { App } from './program/app.js'
import { checkpointOf, writeCheckpoint } from './program/checkpoint.js'
import { Closers } from './program/closers.js'
import { appOf, compose, destinationRules, logFolder, besideOf } from './compose.js'
import { exposuresOf } from './settings/listeners.js'
import { INTERVAL_MS } from './metrics/metrics.js'
import { observe } from './metrics/observe.js'
import { LOGGER } from './program/ports.js'
import { openApiOf } from './openapi/document.js'
import { keepOwnNode, registerOwnNode } from './program/own-node.js'
import type { Route } from './wire/route.js'
import { allRoutes } from './routes/all.js'
import { openApiRoute } from './routes/operator/openapi.js'
import { registerReloadable } from './program/reloadable.js'
import { identify, seed } from './program/seed.js'
import { DnsServer } from './dns/dns-server.js'
import { HttpServer } from './wire/sockets/server.js'
import type { LiveSettings } from './settings/live-settings.js'
import { ServerSnapshots } from './state-snapshot/server-snapshots.js'
import { LiveMaterial } from './wire/tls/live-material.js'
import { TokenUseFile } from './program/token-use-file.js'

/** A server that listens. */
export interface RunningServer {
  readonly app: App
  /** Port of HTTP; undefined when it is off. */
  readonly port: number | undefined
  /** Port of HTTP over TLS; undefined when it is off. */
  readonly httpsPort: number | undefined
  /** Port of DNS over UDP and TCP; undefined when it is off. */
  readonly dnsPort: number | undefined
  /** Finishes what is in flight, flushes and closes the log, and leaves a checkpoint beside it. */
  readonly close: () => Promise<void>
}

/** Leaves a checkpoint beside the log, if all that the read models show is in it. A log in memory has no folder. */
const recordState = async ({ settings, views, log, committer }: App): Promise<void> => {
  if (!existsSync(logFolder(settings.data_dir))) return
  if (committer.isReadable && log.durableIndex === views.index)
    await writeCheckpoint(settings.data_dir, checkpointOf(views))
}

/** Goes on with the restore of a snapshot that was cut off; others are served meanwhile. */
const resumeRestore = async ({ restores, logger, views }: App): Promise<void> => {
  const { current } = views.restore
  if (current) logger.info({ digest: current.restore.Digest }, 'the restore of a snapshot goes on')
  try {
    const result = await restores.resume()
    if (result === 'complete') logger.info('the restore of the snapshot is complete')
    if (result === 'lost')
      logger.error('a restore was cut off and its archive is gone: the state is partly that of the snapshot')
  } catch (error) {
    logger.error({ err: error }, 'the restore of a snapshot did not come to its end')
  }
}

/**
 * Makes the read models from the log, seeds what must be there, and listens. Whatever fails on the way, what was begun is ended again, the log
 * closed and the data folder free.
 * @param override replaces parts of the container, for tests
 * @throws ListenError when a port cannot be had
 */
export const startServer = async (
  live: LiveSettings,
  log: EventLog,
  override: (scope: DependencyContainer) => void = () => {}
): Promise<RunningServer> => {
  const closers = new Closers()
  closers.add(() => log.close())
  try {
    const { app, ...ports } = await begin(live, log, override, closers)
    const close = async (): Promise<void> => {
      await closers.close()
      await recordState(app)
    }
    return { app, ...ports, close }
  } catch (error) {
    // Why it could not begin is worth more than what went wrong after that.
    await closers.close().catch(() => {})
    throw error
  }
}

/** @param closers gets what ends each part, before that part begins */
const begin = async (
  live: LiveSettings,
  log: EventLog,
  override: (scope: DependencyContainer) => void,
  closers: Closers
): Promise<Omit<RunningServer, 'close'>> => {
  const closing = new AbortController()
  const settings = live.current
  const scope = compose(live, log)
  override(scope)
  const snapshots = new ServerSnapshots(settings, log, besideOf(log), scope.resolve(LOGGER))
  scope.registerInstance(RESTORE, views => snapshots.restore(views))
  const app = appOf(scope, closing.signal)
  closers.add(() => app.committer.stop())
  await app.committer.rebuild()
  const destinations = scope.resolve(Destinations)
  app.reload.register(next => () => destinations.use(destinationRules(next)))
  const tls = scope.resolve(OutgoingTls)
  const certificates = new LiveMaterial(app, 'outgoing', material => tls.use(material))
  closers.add(() => certificates.close())
  for (const exposure of exposuresOf(settings)) app.logger.warn(exposure)
  await seed(app)
  await identify(app)
  await registerOwnNode(app)
  const deadlines = scope.resolve(Deadlines)
  closers.add(() => deadlines.stop())
  keepOwnNode(app, deadlines)
  const watch = scope.resolve(ClockWatch)
  watch.signals.on('jumped', ms => app.logger.warn({ ms }, 'the clock was set, or the machine slept'))
  closers.add(() => watch.stop())
  watch.start()
  const expiry = scope.resolve(Expiry)
  expiry.follow(tokenExpiry)
  expiry.follow(oidcRequestExpiry)
  app.coordinateBatches.start()
  closers.add(() => app.checkRunners.stop())
  app.checkRunners.start(settings.node_name)
  app.sessionExpiry.start()
  if (existsSync(logFolder(settings.data_dir))) {
    const uses = new TokenUseFile(settings.data_dir, app.tokenUse, app.logger)
    closers.add(() => uses.close())
    await uses.open(app.views.tokens)
  }
  const removal = scope.resolve(BackgroundRemoval)
  closers.add(() => removal.stop())
  removal.start()
  closers.add(() => app.logins.close())
  observe(app)
  closers.add(() => snapshots.stop())
  snapshots.start(app)
  const intervals = setInterval(() => app.metrics.beginInterval(), INTERVAL_MS).unref()
  closers.add(() => clearInterval(intervals))
  const routes: Route[] = [...allRoutes, openApiRoute(() => openApiOf(routes))]
  const server = new HttpServer(app, routes)
  const dns = settings.ports.dns === -1 ? undefined : new DnsServer(app)
  closers.add(async () => {
    closing.abort()
    // Blocking queries look whether the server ends whenever they are woken.
    app.views.watch.touchAll()
    app.streams.close()
    await Promise.all([app.restores.stop(), server.close(), dns?.close()])
  })
  void resumeRestore(app)
  const ports = { ...(await server.listen()), dnsPort: await dns?.listen() }
  registerReloadable(app)
  return { app, ...ports }
}
