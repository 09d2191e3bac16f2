// Documentation pages as programs: the `sh` blocks of a page are one script, `sh server` blocks are servers that run meanwhile, and commands
// in `sh refused` blocks must be refused. A page without a server block uses a running server, managed with `$TOKEN`.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
const RUNNING = 'annals serve --data-dir data --acl-enabled true --acl-default-policy deny'

/** Creates a working folder with `annals` on its PATH. */
const stage = (scope: Scope) => {
  const folder = temporaryFolder(scope)
  const programs = join(folder, '.programs')
  mkdirSync(programs)
  const annals = join(programs, 'annals')
  writeFileSync(annals, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(annals, 0o755)
  // Environment variables of tests are not settings of a server.
  const others = Object.entries(process.env).filter(([name]) => !/^(ANNALS|CONSUL)_/.test(name))
  const env = { ...Object.fromEntries(others), PATH: `${programs}:${process.env['PATH']}` }
  return { folder, env }
}

/** Returns the environment of commands that manage a new server: its token, and failure for rejected requests. */
const managed = async (folder: string, address: string): Promise<Readonly<Record<string, string>>> => {
  const { text } = await send(`http://${address}`, 'PUT', '/v1/acl/bootstrap')
  const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\n')
  return { TOKEN: SecretID, ANNALS_HTTP_TOKEN: SecretID, CURL_HOME: folder }
}

/**
 * Runs a page in an empty folder, with other ports than the default ones.
 * @param path from the project's folder
 * @param server command of the server, for a page whose blocks start none
 * @returns the standard output of its commands
 * @throws Error with the output when a command fails
 */
export const playPage = async (scope: Scope, path: string, server?: string): Promise<string> => {
  const { folder, env } = stage(scope)
  const [http, dns] = [String(await freePort()), String(await freePort())]
  const blocks = blocksOf(readFileSync(join(projectRoot, path), 'utf8'))
  const address = `127.0.0.1:${http}`
  const started = blocks.flatMap(({ kind, text }) => (kind === 'sh server' ? [text] : []))
  const commands = server === undefined ? started : [server]
  for (const text of commands.length > 0 ? commands : [RUNNING]) {
    const command = `exec ${text.trim()} --http-port ${http} --dns-port ${dns}`
    const running = spawn('/bin/sh', ['-c', command], { cwd: folder, env, stdio: 'ignore' })
    const ended = once(running, 'exit')
    scope.teardown(async () => {
      running.kill()
      await ended
    })
    await until('the server is ready', async () => {
      if (running.exitCode !== null) throw new Error(`the server ended with ${running.exitCode}`)
      return (await send(`http://${address}`, 'GET', '/readyz').catch(() => undefined))?.status === 200
    })
  }
  const script = blocks
    .filter(({ kind }) => kind !== 'sh server')
    .map(scriptOf)
    .join('\n')
    .replaceAll(/(?:127\.0\.0\.1|localhost):8500/g, address)
    .replaceAll('-p 8600', `-p ${dns}`)
  const given = commands.length > 0 ? {} : await managed(folder, address)
  const { stdout } = await run('/bin/sh', ['-euc', script], {
    cwd: folder,
    env: { ...env, ...given, ANNALS_HTTP_ADDR: address },
    maxBuffer: 2 ** 24
  })
  return stdout
}
