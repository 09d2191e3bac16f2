// A server in this process with a worker in the same process, connected by a stream of bytes.
import { PassThrough } from 'node:stream'
import type { DependencyContainer } from 'tsyringe'
import { Clock, Deadlines } from '../../actors/clock.js'
import { openLog } from '../../server/open-log.js'
import type { FromWorker } from '../../server/cluster/workers/message-types.js'
import { startWorker, type RunningWorker } from '../../server/cluster/workers/worker.js'
import { Workers } from '../../server/cluster/workers/workers.js'
import { send, type TestResponse, type TestRequestOptions } from './client.js'
import { DISK_TIMEOUT_MS, ROOT, serverInProcess, type TestServer, type TestServerOptions } from './server.js'
import type { Scope } from './process.js'

export interface TestWorker {
  /** `http://127.0.0.1:PORT`, a port of this worker only. */
  readonly base: string
  readonly port: number
  readonly dnsPort: number | undefined
  readonly scope: DependencyContainer
  readonly running: RunningWorker
  /** The messages that it has sent to the main process. */
  readonly messages: readonly FromWorker[]
  /** Holds the output of the main process until `letThrough`. */
  hold(): void
  letThrough(): void
  /** Like `TestServer.send`. */
  send(method: string, path: string, sending?: TestRequestOptions): Promise<TestResponse>
  /** Ends the worker before the scope does. */
  close(): Promise<void>
}

interface ServerWithWorker {
  readonly main: TestServer
  readonly worker: TestWorker
  readonly workers: Workers
  /** Starts another worker. */
  readonly another: () => Promise<TestWorker>
  /** Advances the clock of both. */
  readonly advance: (ms: number) => void
  readonly close: () => Promise<void>
}

/** Starts a server with a worker. They end with the scope. */
export const serverWithWorker = async (
  t: Scope,
  options: TestServerOptions = {}
): Promise<ServerWithWorker> => {
  let made: Workers | undefined
  const main = await serverInProcess(t, {
    ...options,
    open: async settings => {
      const workers = new Workers(settings)
      made = workers
      const log = await openLog(settings, { feed: workers.logFeed, patience: DISK_TIMEOUT_MS })
      workers.use(log)
      return { log, workers }
    }
  })
  if (!made) throw new Error('the log was not opened')
  const workers = made
  let count = 0
  const running: TestWorker[] = []
  const another = async (): Promise<TestWorker> => {
    const worker = await workerInProcess(main, workers, ++count)
    running.push(worker)
    t.teardown(() => worker.close())
    return worker
  }
  const worker = await another()
  return {
    main,
    worker,
    workers,
    another,
    advance: ms => {
      main.advance(ms)
      for (const { scope } of running) scope.resolve(Deadlines).look()
    },
    close: async () => {
      await Promise.all(running.map(one => one.close()))
      await main.close()
    }
  }
}

/** The server of the worker. */
type MainOfWorker = Pick<TestServer, 'settings' | 'dnsPort' | 'clock'>

/** Starts a worker in this process. */
export const workerInProcess = async (
  main: MainOfWorker,
  workers: Workers,
  number: number
): Promise<TestWorker> => {
  const [socket, feed] = [new PassThrough(), new PassThrough()]
  socket.pipe(feed)
  const messages: FromWorker[] = []
  const settings = {
    ...main.settings,
    ports: { http: 0, https: -1, dns: main.dnsPort === undefined ? -1 : 0 }
  }
  const sendToMain = (message: FromWorker, sent?: () => void): void => {
    messages.push(message)
    sent?.()
    if (message.kind === 'follow') workers.feed.attach(socket)
    else workers.host?.onMessage(message, number)
  }
  const running = await startWorker(
    workers.startOf(number, settings),
    { feed, position: workers.position, send: sendToMain, newest: async () => workers.host?.newest() },
    scope => void scope.registerInstance<Clock>(Clock, main.clock)
  )
  const { port = 0, dnsPort, scope } = running
  const base = `http://127.0.0.1:${port}`
  let closing: Promise<void> | undefined
  const end = async (): Promise<void> => {
    await running.close()
    socket.destroy()
    feed.destroy()
    await running.followed.catch(() => {})
  }
  return {
    base,
    port,
    dnsPort,
    scope,
    running,
    messages,
    hold: () => void socket.unpipe(feed),
    letThrough: () => void socket.pipe(feed),
    send: (method, path, sending = {}) => send(base, method, path, { token: ROOT, ...sending }),
    close: () => (closing ??= end())
  }
}
