// Runs the built program as a child process: a server on ports and in folders of its own, or one command of the CLI.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ListenOptions, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { send } from './client.js'
import { until } from './wait.js'

/** The folder of package.json, seen from dist/test/support. */
export const projectRoot = resolve(import.meta.dirname, '../../..')
export const program = join(projectRoot, 'program/server/main.js')

/** Runs teardown callbacks: ava's `t`, or a program's own list. */
export interface Scope {
  teardown(release: () => void | Promise<void>): void
}

export interface ServerOptions {
  /** Data folder, existing or not; default: a new one that ends with the scope. */
  readonly dataDir?: string
  /** Default policy, or ACLs off; default: `deny`. */
  readonly acl?: 'deny' | 'allow' | 'off'
  /** Secret of the configured initial management token. */
  readonly initialManagement?: string
  /** Further top-level keys of the configuration file. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Path of the built `main.js`; default: this project's own. */
  readonly main?: string
  /** Path of node; default: the one that runs the tests. */
  readonly node?: string
  /** Arguments for node itself. */
  readonly nodeArguments?: readonly string[]
  /** Shell commands that run in the server's process before it starts, such as `ulimit`. */
  readonly shell?: string
}

export interface ServerProcess {
  /** `http://127.0.0.1:PORT`. */
  readonly base: string
  readonly port: number
  readonly dnsPort: number
  readonly pid: number
  readonly dataDir: string
  /** The configuration file. */
  readonly config: string
  /** Resolves when the server answers. @throws Error with the log when it ends first */
  ready(): Promise<void>
  /** Bootstraps the ACL system and returns the secret of the first management token. @throws Error when refused */
  bootstrap(): Promise<string>
  /** The output of the server. */
  log(): string
  /** Sends SIGTERM, and waits for the end. @throws Error with the log when the exit code is not 0 */
  stop(): Promise<void>
  /** Sends SIGKILL, and waits for the end. */
  kill(): Promise<void>
}

/** Creates a temporary folder that is removed with the scope. */
export function temporaryFolder(scope: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'annals-test-'))
  scope.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return folder
}

/** Starts a server and waits until it answers. It is killed with the scope if it is still running. */
export async function startServer(scope: Scope, options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await launchServer(scope, options)
  await server.ready()
  return server
}

/** Like `startServer`, but returns as soon as the process exists. */
export async function launchServer(scope: Scope, options: ServerOptions = {}): Promise<ServerProcess> {
  const folder = temporaryFolder(scope)
  const dataDir = options.dataDir ?? join(folder, 'data')
  const [port, dnsPort] = [await freePort(), await freePort()]
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify(configuration(options, dataDir, port, dnsPort), null, 2))
  const logFile = join(folder, 'server.log')
  const child = start(options, ['serve', '--config', config], logFile)
  let ended: string | undefined
  const exit = once(child, 'exit').then(([code, signal]: readonly unknown[]) => {
    ended = String(code ?? signal)
    return ended
  })
  scope.teardown(async () => {
    child.kill('SIGKILL')
    await exit
  })

  const base = `http://127.0.0.1:${port}`
  const log = (): string => readFileSync(logFile, 'utf8')
  const fault = (text: string): Error => new Error(`${text}; its log:\n${log().slice(-4000)}`)
  const answers = async (): Promise<boolean> => {
    if (ended !== undefined) throw fault(`the server ended with ${ended}`)
    const leader = await send(base, 'GET', '/v1/status/leader').catch(() => undefined)
    return leader?.status === 200
  }
  return {
    base,
    port,
    dnsPort,
    pid: child.pid ?? 0,
    dataDir,
    config,
    log,
    ready: async () => void (await until('the server answers', answers)),
    bootstrap: async () => {
      const { status, text } = await send(base, 'PUT', '/v1/acl/bootstrap')
      if (status !== 200) throw fault(`bootstrap was answered ${status} ${text}`)
      const token: { readonly SecretID: string } = JSON.parse(text)
      return token.SecretID
    },
    stop: async () => {
      child.kill('SIGTERM')
      await exit
      if (ended !== '0') throw fault(`after SIGTERM the server ended with ${ended}, not 0`)
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exit
    }
  }
}

/** Returns the environment without variables of tests, which are not settings: `ANNALS_STREAM_RUNS` would be refused. */
const programEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ANNALS_')))

/** Runs one command of the built program to its end. */
export async function runProgram(
  parameters: readonly string[]
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = programEnvironment()
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'], env })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  return { code: child.exitCode, output: Buffer.concat(chunks).toString() }
}

function start(options: ServerOptions, parameters: readonly string[], logFile: string): ChildProcess {
  const command = [...(options.nodeArguments ?? []), options.main ?? program, ...parameters]
  const node = options.node ?? process.execPath
  const log = openSync(logFile, 'a')
  const stdio: ['ignore', number, number] = ['ignore', log, log]
  const env = programEnvironment()
  const child =
    options.shell === undefined
      ? spawn(node, command, { stdio, env })
      : spawn('/bin/sh', ['-c', `${options.shell}; exec "$@"`, 'sh', node, ...command], { stdio, env })
  closeSync(log)
  return child
}

function configuration(options: ServerOptions, dataDir: string, http: number, dns: number): object {
  const { acl = 'deny', initialManagement } = options
  return {
    datacenter: 'dc1',
    primary_datacenter: 'dc1',
    node_name: 'server-1',
    domain: 'consul',
    data_dir: dataDir,
    bind: '127.0.0.1',
    ports: { http, dns },
    acl: {
      enabled: acl !== 'off',
      default_policy: acl === 'allow' ? 'allow' : 'deny',
      ...(initialManagement === undefined ? {} : { tokens: { initial_management: initialManagement } })
    },
    ...options.config
  }
}

/**
 * Returns a free port below the ephemeral range, so that no outgoing connection can take it before the server does.
 * No other test gets it while this thread lives: a stopped server listens on no port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    const probe = createServer()
    if (!(await claimed(port)) || !(await listens(probe, { port, host: '127.0.0.1' }))) continue
    await new Promise(closed => probe.close(closed))
    return port
  }
}

/** Claims a port for this thread with an abstract socket, which ends with it. Where there are none, nothing is claimed. */
async function claimed(port: number): Promise<boolean> {
  return process.platform !== 'linux' || listens(createServer().unref(), { path: `\0annals-port-${port}` })
}

/** Whether the server got its address. */
export function listens(server: Server, address: ListenOptions): Promise<boolean> {
  return new Promise(tell => {
    server.once('error', () => tell(false)).listen(address, () => tell(true))
  })
}
