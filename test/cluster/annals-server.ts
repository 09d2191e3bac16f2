// A server of Annals as a process on a machine, alone or as part of a cluster.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { send, type TestResponse, type TestRequestOptions } from '../support/client.js'
import { program, temporaryFolder, type Scope } from '../support/process.js'
import { ROOT } from '../support/server.js'
import { until } from '../support/wait.js'
import { startProgram, type Machine, type Program } from './machines/machine.js'

/** The same on all servers of a cluster. */
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')
const CLUSTER_SECRET = Buffer.alloc(32, 9).toString('base64')

export interface ServerPlan {
  readonly machine: Machine
  /** Name of its own node. */
  readonly name: string
  /** The section `cluster` of its configuration; a server alone when absent. */
  readonly cluster?: Readonly<Record<string, unknown>>
  /** Further top-level keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Data folder to use; a new one that ends with the scope when absent. */
  readonly dataDir?: string
  /** Port of HTTP; a free one when absent. */
  readonly port?: number
  /** Port of DNS; it is off when absent. */
  readonly dns?: number
  /** Shell commands that run in the server's process before it starts. */
  readonly shell?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface AnnalsServer {
  readonly name: string
  readonly machine: Machine
  readonly port: number
  readonly dataDir: string
  /** The configuration file. */
  readonly config: string
  /** `http://HOST:PORT` for the tests. */
  readonly base: string
  /** Starts it on the data that it has. Resolves when the process exists. */
  start(): void
  /** Resolves when it answers a default read. @throws Error with its log when it has ended */
  ready(): Promise<void>
  /** Like `ready`, also before any token exists. */
  answers(): Promise<void>
  /** SIGTERM, then waits for the end. @throws Error with its log when the exit code is not 0 */
  stop(): Promise<void>
  /** SIGKILL, then waits for the end. */
  kill(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Exit code or signal of the last run; undefined while it runs. */
  ended(): string | undefined
  /** Resolves with the exit code or signal of the last run. */
  end(): Promise<string>
  readonly pid: number
  log(): string
  /** Sends a request with the management token, unless `token` is given. */
  send(method: string, path: string, sending?: TestRequestOptions): Promise<TestResponse>
}

/** Prepares a server. It is killed when the scope ends, if it runs then. */
export const annalsServer = async (scope: Scope, plan: ServerPlan): Promise<AnnalsServer> => {
  const { machine, name } = plan
  const folder = temporaryFolder(scope)
  const dataDir = plan.dataDir ?? join(folder, 'data')
  const port = plan.port ?? (await machine.freePort())
  const config = join(folder, 'config.json')
  const isOneOfMany = machine.enter.length > 0
  writeFileSync(
    config,
    JSON.stringify({
      node_name: name,
      data_dir: dataDir,
      bind: isOneOfMany ? '0.0.0.0' : machine.address,
      ports: { http: port, dns: plan.dns ?? -1 },
      acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: ROOT } },
      encryption: { key: ENCRYPTION_KEY },
      ...(plan.cluster === undefined
        ? {}
        : {
            cluster: {
              enabled: true,
              secret: CLUSTER_SECRET,
              advertise: `http://${machine.address}:${port}`,
              ...plan.cluster
            }
          }),
      ...plan.config
    })
  )
  const log = join(folder, 'server.log')
  writeFileSync(log, '')
  const base = `http://${machine.testAddress}:${port}`
  let running: Program | undefined
  const read = (): string => readFileSync(log, 'utf8')
  const fault = (text: string): Error => new Error(`${name}: ${text}; its log:\n${read().slice(-4000)}`)
  const ask = (method: string, path: string, sending: TestRequestOptions = {}): Promise<TestResponse> =>
    send(base, method, path, { token: ROOT, ...sending })
  const answers = async (path: string, isReady: (answer: TestResponse) => boolean): Promise<void> => {
    await until(`${name} answers`, async () => {
      const ended = running?.ended()
      if (ended !== undefined) throw fault(`ended with ${ended}`)
      const answer = await ask('GET', path, { timeout: 2000 }).catch(() => undefined)
      return answer !== undefined && isReady(answer)
    })
  }
  return {
    name,
    machine,
    port,
    dataDir,
    config,
    base,
    get pid() {
      return running?.pid ?? 0
    },
    start: () => {
      running = startProgram(scope, machine, [process.execPath, program, 'serve', '--config', config], {
        log,
        ...(plan.shell === undefined ? {} : { shell: plan.shell }),
        ...(plan.env === undefined ? {} : { env: plan.env })
      })
    },
    ready: () => answers('/v1/kv/?keys', ({ status }) => status === 200 || status === 404),
    answers: () => answers('/v1/status/leader', ({ status, text }) => status === 200 && text !== '""'),
    stop: async () => {
      running?.signal('SIGTERM')
      const ended = await running?.exit
      if (ended !== '0') throw fault(`after SIGTERM it ended with ${ended}, not 0`)
    },
    kill: async () => {
      running?.signal('SIGKILL')
      await running?.exit
    },
    signal: given => running?.signal(given),
    ended: () => running?.ended(),
    end: async () => (await running?.exit) ?? 'never started',
    log: read,
    send: ask
  }
}
