// A whole server from its start to its end: log, read models, processes, HTTP.
import { existsSync } from 'node:fs'
import type { DependencyContainer } from 'tsyringe'
import { Deadlines } from '../actors/deadlines.js'
import { BackgroundRemoval } from '../actors/processes/background-removal.js'
import { Expiry } from '../actors/processes/expiry.js'
import { oidcRequestExpiry } from '../actors/processes/oidc-request-expiry.js'
import { tokenExpiry } from '../actors/processes/token-expiry.js'
import type { EventLog } from '../events/log/log.js'
import type { App } from './app.js'
import { checkpointOf, writeCheckpoint } from './checkpoint.js'
import { appOf, compose, logFolder } from './compose.js'
import { observe } from './observe.js'
import { openApiOf } from './openapi.js'
import { keepOwnNode, registerOwnNode } from './own-node.js'
import type { Route } from './route.js'
import { allRoutes } from './routes/all.js'
import { openApiRoute } from './routes/openapi.js'
import { identify, seed } from './seed.js'
import { DnsServer } from './dns/dns-server.js'
import { HttpServer } from './server.js'
import type { Settings } from './settings.js'
import { TokenUseFile } from './token-use-file.js'

/** A server that listens. */
export interface RunningServer {
  readonly app: App
  readonly port: number
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

/**
 * Replays the log, seeds what must be there, and listens.
 * @param override replaces parts of the container, for tests
 */
export const startServer = async (
  settings: Settings,
  log: EventLog,
  override: (scope: DependencyContainer) => void = () => {}
): Promise<RunningServer> => {
  const closing = new AbortController()
  const scope = compose(settings, log)
  override(scope)
  const app = appOf(scope, closing.signal)
  await app.committer.rebuild()
  await seed(app)
  await identify(app)
  await registerOwnNode(app)
  keepOwnNode(app, scope.resolve(Deadlines))
  const expiry = scope.resolve(Expiry)
  expiry.follow(tokenExpiry)
  expiry.follow(oidcRequestExpiry)
  app.coordinateBatches.start()
  app.checkRunners.start(settings.node_name)
  app.sessionExpiry.start()
  const uses = new TokenUseFile(settings.data_dir, app.tokenUse, app.logger)
  const isOnDisk = existsSync(logFolder(settings.data_dir))
  if (isOnDisk) await uses.open(app.views.tokens)
  const removal = scope.resolve(BackgroundRemoval)
  removal.start()
  observe(app)
  const routes: Route[] = [...allRoutes, openApiRoute(() => openApiOf(routes))]
  const server = new HttpServer(app, routes)
  const port = await server.listen()
  const dns = settings.ports.dns === -1 ? undefined : new DnsServer(app)
  const dnsPort = await dns?.listen()
  return {
    app,
    port,
    dnsPort,
    close: async () => {
      scope.resolve(Deadlines).stop()
      removal.stop()
      closing.abort()
      // Blocking queries look whether the server ends whenever they are woken.
      app.views.watch.touchAll()
      app.checkRunners.stop()
      app.streams.close()
      await Promise.all([server.close(), dns?.close()])
      await app.logins.close()
      if (isOnDisk) await uses.close()
      app.committer.stop()
      await log.close()
      await recordState(app)
    }
  }
}
