// The witness of torchwood signs the checkpoints of a server. It is killed, and started again.
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { parseVkey } from '../../events/log/evidence/note-keys.js'
import { openNote } from '../../events/log/evidence/note.js'
import { LogEvidence } from '../../http/wire/log-evidence.js'
import { annals } from '../support/command-line.js'
import { missingUnstable, UNSTABLE } from '../support/go.js'
import { freePort, temporaryFolder } from '../support/process.js'
import { missing } from '../support/programs.js'
import { serverInProcess, type TestServer } from '../support/server.js'
import { until } from '../support/wait.js'

const run = promisify(execFile)

interface Program {
  /** The output up to now. */
  readonly output: () => string
  readonly kill: () => Promise<void>
}

/** Starts a program, which ends with the test. */
const start = (t: ExecutionContext, file: string, ...args: readonly string[]): Program => {
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  return { output: () => output, kill }
}

interface Litewitness {
  readonly vkey: string
  readonly url: string
  /** Makes a log known to the witness. */
  readonly trust: (vkey: string) => Promise<void>
  /** Starts it once more. */
  readonly start: () => Promise<Program>
}

/** Creates a witness, its database and a key in an agent of its own. */
const litewitness = async (t: ExecutionContext): Promise<Litewitness> => {
  const folder = temporaryFolder(t)
  const key = join(folder, 'key')
  const agent = join(folder, 'agent')
  const database = join(folder, 'witness.db')
  start(t, 'ssh-agent', '-D', '-a', agent)
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  await until('the agent listens', () => existsSync(agent))
  await run('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: agent } })
  // The last 32 bytes of an OpenSSH public key of this type are the key.
  const bytes = Buffer.from(readFileSync(`${key}.pub`, 'utf8').split(' ')[1] ?? '', 'base64').subarray(-32)
  const port = await freePort()
  const startWitness = async (): Promise<Program> => {
    const witness = start(
      t,
      `${UNSTABLE}/usr/bin/litewitness`,
      '-name=witness.example/lite',
      `-db=${database}`,
      `-ssh-agent=${agent}`,
      `-key=${createHash('sha256').update(bytes).digest('hex')}`,
      `-listen=127.0.0.1:${port}`
    )
    await until('the witness listens', () => witness.output().includes('listening'))
    return witness
  }
  const first = await startWitness()
  const [, vkey = ''] = /vkey=(\S+)/.exec(first.output()) ?? []
  await first.kill()
  const control = (...args: readonly string[]): Promise<unknown> =>
    run(`${UNSTABLE}/usr/bin/witnessctl`, [args[0] ?? '', '-db', database, ...args.slice(1)])
  return {
    vkey,
    url: `http://127.0.0.1:${port}`,
    trust: async log => {
      const origin = parseVkey(log).name
      await control('add-log', '-origin', origin)
      await control('add-key', '-origin', origin, '-key', log)
    },
    start: startWitness
  }
}

test('litewitness signs the checkpoints of a server, which publishes unsigned ones while it is down', async t => {
  if (missingUnstable(t) || (await missing(t, 'ssh-agent'))) return
  const witness = await litewitness(t)
  const dataDir = join(temporaryFolder(t), 'data')
  const server = await serverInProcess(t, {
    dataDir,
    config: {
      signing: { witnesses: [`${witness.vkey} ${witness.url}`], required_witnesses: 0 },
      outgoing: { allow: ['127.0.0.1/32'] }
    }
  })
  const { vkey, checkpoints } = server.scope.resolve(LogEvidence).required
  await witness.trust(vkey)
  const write = async (): Promise<number> => {
    await server.send('PUT', '/v1/kv/a', { body: `${server.app.views.index}` })
    await checkpoints.covering(server.app.views.index)
    return server.app.views.index
  }
  const verify = (): ReturnType<typeof annals> =>
    annals(['log', 'verify', '--data-dir', dataDir, '--key', vkey, '--witness', witness.vkey])
  const keys = [vkey, witness.vkey].map(parseVkey)

  const unseen = await published(server, await write(), keys)
  t.false(unseen)
  t.regex((await verify()).errors, /is not signed by witness\.example\/lite/)
  for (let round = 0; round < 3; round++) {
    const running = await witness.start()
    const size = await write()
    await until('the witness has signed', async () => {
      server.advance(60_000)
      return published(server, size, keys)
    })
    const seen = await until('its signature is stored', async () => {
      const { code, output } = await verify()
      return code === 0 && output.includes('seen by witness.example/lite') && output
    })
    t.notRegex(seen, /cannot be ruled out/)
    await running.kill()
    t.false(await published(server, await write(), keys))
    t.regex((await verify()).output, /no trusted input covers commits \d+ to \d+/)
  }
})

/** Returns whether the published checkpoint of so many commits or more has the signature of the witness. */
const published = async (
  server: TestServer,
  size: number,
  keys: readonly ReturnType<typeof parseVkey>[]
): Promise<boolean> => {
  const { text } = await server.send('GET', '/v1/event/checkpoint')
  if (Number(text.split('\n')[1]) < size) throw new Error(`a checkpoint of ${size} commits is published late`)
  return openNote(Buffer.from(text), keys).verified.length === keys.length
}
