// Pages of the documentation as programs: their `sh` blocks are one script, and `sh server` blocks servers that run meanwhile.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { send } from './client.js'
import { freePort, program, projectRoot, temporaryFolder, type Scope } from './process.js'
import { until } from './wait.js'

const run = promisify(execFile)

interface Block {
  readonly kind: 'sh' | 'sh server'
  readonly text: string
}

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(sh|sh server)\n(.*?)^```$/gms)].map(([, kind, text = '']) => ({
    kind: kind === 'sh' ? 'sh' : 'sh server',
    text
  }))

/** A folder to play in, with `annals` on its PATH. */
const stage = (scope: Scope) => {
  const folder = temporaryFolder(scope)
  const programs = join(folder, '.programs')
  mkdirSync(programs)
  const annals = join(programs, 'annals')
  writeFileSync(annals, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(annals, 0o755)
  // What tests are told by is no setting of a server.
  const others = Object.entries(process.env).filter(([name]) => !/^(ANNALS|CONSUL)_/.test(name))
  const env = { ...Object.fromEntries(others), PATH: `${programs}:${process.env['PATH']}` }
  return { folder, env }
}

/**
 * Plays a page of `docs/` in an empty folder. Where it says the usual ports, its server has others.
 * @returns what its commands wrote to standard output
 * @throws Error with the output when a command fails
 */
export const playPage = async (scope: Scope, name: string): Promise<string> => {
  const { folder, env } = stage(scope)
  const [http, dns] = [String(await freePort()), String(await freePort())]
  const blocks = blocksOf(readFileSync(join(projectRoot, 'docs', `${name}.md`), 'utf8'))
  const address = `127.0.0.1:${http}`
  for (const { text } of blocks.filter(({ kind }) => kind === 'sh server')) {
    const command = `exec ${text.trim()} --http-port ${http} --dns-port ${dns}`
    const server = spawn('/bin/sh', ['-c', command], { cwd: folder, env, stdio: 'ignore' })
    const ended = once(server, 'exit')
    scope.teardown(async () => {
      server.kill()
      await ended
    })
    await until('the server is ready', async () => {
      if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`)
      return (await send(`http://${address}`, 'GET', '/readyz').catch(() => undefined))?.status === 200
    })
  }
  const script = blocks
    .filter(({ kind }) => kind === 'sh')
    .map(({ text }) => text)
    .join('\n')
    .replaceAll('127.0.0.1:8500', address)
    .replaceAll('-p 8600', `-p ${dns}`)
  const { stdout } = await run('/bin/sh', ['-euc', script], {
    cwd: folder,
    env: { ...env, ANNALS_HTTP_ADDR: address },
    maxBuffer: 2 ** 24
  })
  return stdout
}
