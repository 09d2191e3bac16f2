// Documentation pages as programs: the `sh` blocks of a page run in their order, `sh server` blocks are servers that run from then on, and commands
// in `sh refused` blocks must be refused. A page without a server block uses a running server, managed with `$TOKEN`.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { send } from './client.js'
import { freePort, program, projectRoot, temporaryFolder, type Scope } from './process.js'
import { until } from './wait.js'

const run = promisify(execFile)

type Kind = 'sh' | 'sh server' | 'sh refused'

interface Block {
  readonly kind: Kind
  readonly text: string
}

const KINDS: readonly Kind[] = ['sh', 'sh server', 'sh refused']

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(sh(?: \w+)?)\n(.*?)^```$/gms)].flatMap(([, name, text = '']) => {
    const kind = KINDS.find(each => each === name)
    return kind ? [{ kind, text }] : []
  })

/** Returns a block as a part of the script: each command of a refused block must fail. */
const scriptOf = ({ kind, text }: Block): string =>
  kind === 'sh' ? text : `if { ${text}}; then echo 'it was not refused' >&2; exit 1; fi\n`

/** The server of a page that begins with a running one. */
const RUNNING: Block = {
  kind: 'sh server',
  text: 'annals serve --data-dir data --acl-enabled true --acl-default-policy deny'
}

/** Ports that pages name: of etcd, and those of HTTP and DNS that begin with 85 and 86. */
const PORT = /\b(?:2379|2380|8[56]\d\d)\b/g

/** Replaces each port that the page names by a free one, everywhere by the same. */
const withFreePorts = async (blocks: readonly Block[]): Promise<(text: string) => string> => {
  const named = new Set(['8500', '8600', ...blocks.flatMap(({ text }) => text.match(PORT) ?? [])])
  const ports = new Map<string, string>()
  for (const port of named) ports.set(port, String(await freePort()))
  return text => text.replaceAll(PORT, port => ports.get(port) ?? port)
}

/** Returns the command of a server with the ports that it takes if the page names none. */
const serverCommand = (text: string): string => {
  const command = text.trim()
  if (!command.startsWith('annals serve') || /--http-port|--config/.test(command)) return command
  return `${command} --http-port 8500 --dns-port 8600`
}

interface Stage {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** Creates a working folder with `annals` on its PATH. */
const stage = (scope: Scope): Stage => {
  const folder = temporaryFolder(scope)
  const programs = join(folder, '.programs')
  mkdirSync(programs)
  const annals = join(programs, 'annals')
  writeFileSync(annals, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(annals, 0o755)
  // Environment variables of tests are not settings of a server.
  const others = Object.entries(process.env).filter(([name]) => !/^(ANNALS|CONSUL)_/.test(name))
  // Contexts of the user are neither read nor written.
  const env = {
    ...Object.fromEntries(others),
    XDG_CONFIG_HOME: join(folder, '.config'),
    PATH: `${programs}:${process.env['PATH']}`
  }
  return { folder, env }
}

/** Returns the environment of commands that manage a new server: its token, and failure for rejected requests. */
const managed = async (folder: string, address: string): Promise<Readonly<Record<string, string>>> => {
  const { text } = await send(`http://${address}`, 'PUT', '/v1/acl/bootstrap')
  const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\n')
  return { TOKEN: SecretID, ANNALS_HTTP_TOKEN: SecretID, CURL_HOME: folder }
}

/** Starts a program that runs to the end of the test, and waits until a server of Annals is ready. @param address where, unless the command says */
const start = async (
  scope: Scope,
  { folder, env }: Stage,
  command: string,
  address: string
): Promise<void> => {
  const running = spawn('/bin/sh', ['-c', `exec ${command}`], { cwd: folder, env, stdio: 'ignore' })
  const ended = once(running, 'exit')
  scope.teardown(async () => {
    running.kill()
    await ended
  })
  if (!command.startsWith('annals serve')) return
  const [, config] = /--config (\S+)/.exec(command) ?? []
  const said = config === undefined ? command : readFileSync(join(folder, config), 'utf8')
  const port = /(?:--http-port |"http": )(\d+)/.exec(said)?.[1]
  const base = `http://${port === undefined ? address : `127.0.0.1:${port}`}`
  await until('the server is ready', async () => {
    if (running.exitCode !== null) throw new Error(`${command} ended with ${running.exitCode}`)
    return (await send(base, 'GET', '/readyz').catch(() => undefined))?.status === 200
  })
}

/** Runs commands of a page where those before ended: with their variables, in their folder. */
const runScript = async ({ folder, env }: Stage, script: string): Promise<string> => {
  const state = join(folder, '.variables')
  const before = existsSync(state) ? `. '${state}'\ncd "$PWD"\n` : ''
  const whole = `set -a\n${before}${script}\nexport -p > '${state}'\n`
  const { stdout } = await run('/bin/sh', ['-euc', whole], { cwd: folder, env, maxBuffer: 2 ** 24 })
  return stdout
}

export interface Play {
  /** Command of the server, for a page whose blocks start none. */
  readonly server?: string
  /** Blocks in the form of a page that run before it, such as another server that it is about. */
  readonly prelude?: string
}

/**
 * Runs a page in an empty folder, with other ports than those that it names.
 * @param path from the project's folder
 * @returns the standard output of its commands
 * @throws Error with the output when a command fails
 */
export const playPage = async (
  scope: Scope,
  path: string,
  { server, prelude = '' }: Play = {}
): Promise<string> => {
  const written = blocksOf(prelude + readFileSync(join(projectRoot, path), 'utf8'))
  const isRunning = server === undefined && !written.some(({ kind }) => kind === 'sh server')
  const first: Block[] = server === undefined ? [] : [{ kind: 'sh server', text: server }]
  const blocks = [...(isRunning ? [RUNNING] : first), ...written]
  const renumber = await withFreePorts(blocks)
  const { folder, env } = stage(scope)
  const address = renumber('127.0.0.1:8500')
  let place: Stage = { folder, env: { ...env, ANNALS_HTTP_ADDR: address } }
  let script = ''
  let output = ''
  for (const block of blocks) {
    if (block.kind !== 'sh server') {
      script += `${renumber(scriptOf(block))}\n`
      continue
    }
    output += await runScript(place, script)
    script = ''
    await start(scope, { folder, env }, renumber(serverCommand(block.text)), address)
    if (isRunning) place = { folder, env: { ...place.env, ...(await managed(folder, address)) } }
  }
  return output + (await runScript(place, script))
}
