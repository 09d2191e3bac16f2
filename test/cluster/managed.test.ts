// `annals cluster init` and `join` as processes of this machine, with members of etcd that their servers supervise.
import { X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { renewAuthority, renewCertificate } from '../../server/cluster/etcd/certificates.js'
import { updateAuthority } from '../../server/cluster/etcd/cluster-authority.js'
import { withEtcd } from '../../server/cluster/etcd/etcd-connection.js'
import { loadSettings } from '../../server/settings/load.js'
import { send } from '../support/client.js'
import { freePort, program, runProgram, temporaryFolder } from '../support/process.js'
import { missing } from '../support/programs.js'
import { until } from '../support/wait.js'
import { loopbackMachines } from './machines/loopback.js'
import { startProgram, type Machine, type Program } from './machines/machine.js'

interface TestMachine {
  readonly name: string
  readonly config: string
  readonly dir: string
  readonly server: Program
  /** `http://HOST:PORT` */
  readonly base: string
  readonly put: (key: string) => Promise<number>
  readonly get: (key: string) => Promise<string>
  /** SIGKILL of the member of etcd. */
  readonly killMember: () => void
  readonly memberPid: () => number
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const only = (): Machine => {
  const [machine] = loopbackMachines(1)
  if (!machine) throw new Error('there is no machine')
  return machine
}

/** Machines of one test, which share 127.0.0.1. */
class Machines {
  readonly #folder: string

  constructor(private readonly t: ExecutionContext) {
    this.#folder = temporaryFolder(t)
  }

  /** Runs a command in the foreground that begins with `annals cluster`. */
  async start(name: string, args: readonly string[], dir = name): Promise<TestMachine> {
    const { folder, http, own } = await this.#prepared(name, dir)
    return this.#run(name, folder, http, [...args, ...own])
  }

  /** The same with this script as `etcd`, which makes it fail. Resolves with its output, and its arguments for another try. */
  async startWith(script: string, name: string, args: readonly string[]) {
    const { folder, http, own } = await this.#prepared(name, name)
    const bin = temporaryFolder(this.t)
    writeFileSync(join(bin, 'etcd'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'etcd'), 0o755)
    const env = { PATH: `${bin}:${process.env['PATH']}` }
    const log = `${folder}.failed`
    const tried = startProgram(this.t, only(), [process.execPath, program, ...args, ...own], { log, env })
    await tried.exit
    return { output: tried.log(), folder, again: () => this.#run(name, folder, http, [...args, ...own]) }
  }

  /** Runs a command that ends before the server starts. */
  async prepare(name: string, args: readonly string[]): Promise<{ readonly config: string }> {
    const { folder, own } = await this.#prepared(name, name)
    const { code, output } = await this.run([...args, ...own])
    this.t.is(code, 0, output)
    return { config: join(folder, 'annals.json') }
  }

  async #prepared(name: string, dir: string) {
    const folder = join(this.#folder, dir)
    const ports = await Promise.all(['http', 'https', 'etcd-client', 'etcd-peer'].map(() => freePort()))
    const [http] = ports
    const flags = ['http', 'https', 'etcd-client', 'etcd-peer'].map(
      (flag, at) => `--${flag}-port=${ports[at]}`
    )
    const own = ['--dir', folder, '--name', name, '--address', '127.0.0.1', '--dns-port=-1', ...flags]
    return { folder, http: http ?? 0, own }
  }

  /** Starts the server of a machine again. */
  async restart({ name, dir, config }: Pick<TestMachine, 'name' | 'dir' | 'config'>): Promise<TestMachine> {
    const { ports } = JSON.parse(readFileSync(config, 'utf8'))
    return this.#run(name, dir, ports.http, ['serve', '--config', config])
  }

  run(args: readonly string[]) {
    return runProgram(args)
  }

  async #run(name: string, dir: string, port: number, args: readonly string[]): Promise<TestMachine> {
    const log = `${dir}.log`
    writeFileSync(log, '')
    // Bootstrap is no subject of these tests.
    const env = { ANNALS_ACL_ENABLED: 'false' }
    const server = startProgram(this.t, only(), [process.execPath, program, ...args], { log, env })
    const pidFile = join(dir, 'data/etcd/etcd.pid')
    const memberPid = (): number => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0)
    const killMember = (): void => {
      if (memberPid() > 0 && alive(memberPid())) process.kill(memberPid(), 'SIGKILL')
    }
    this.t.teardown(killMember)
    const base = `http://127.0.0.1:${port}`
    await until(`${name} answers`, async () => {
      if (server.ended() !== undefined) throw new Error(server.log())
      const answer = await send(base, 'GET', '/v1/kv/?keys').catch(() => undefined)
      return answer?.status === 200 || answer?.status === 404
    })
    return {
      name,
      dir,
      config: join(dir, 'annals.json'),
      server,
      base,
      put: async key => (await send(base, 'PUT', `/v1/kv/${key}`, { body: key })).status,
      get: async key => (await send(base, 'GET', `/v1/kv/${key}?raw`)).text,
      killMember,
      memberPid
    }
  }
}

/** The arguments after `annals` of the join commands that were printed. */
const joinsIn = (text: string): readonly (readonly string[])[] =>
  Array.from(text.matchAll(/^ {2}annals (cluster join \S+ \S+)$/gm), ([, args = '']) => args.split(' '))

test('three commands create a cluster, which survives a lost machine and replaces it', async t => {
  if (await missing(t, 'etcd')) return
  const machines = new Machines(t)
  const one = await machines.start('one', ['cluster', 'init'])
  const joins = joinsIn(one.server.log())
  t.is(joins.length, 2)
  for (const file of ['server.key', 'encryption.key', 'cluster.secret', 'annals.json'])
    t.is(statSync(join(one.dir, file)).mode & 0o777, 0o600, file)
  t.is(statSync(one.dir).mode & 0o777, 0o700)
  const [first = [], second = []] = joins
  const two = await machines.start('two', first)
  t.false(readFileSync(`/proc/${two.server.pid}/cmdline`, 'utf8').includes('annals-join'))
  const three = await machines.start('three', second)
  for (const machine of [one, two, three]) t.is(await machine.put(machine.name), 200)
  for (const { name } of [one, two, three]) t.is(await three.get(name), name)

  const checks = ['All servers', 'All clocks', 'Lag', 'etcd', 'Certificates']
  await until('the doctor finds nothing', async () => {
    const args = ['doctor', '-o', 'jsonl', '--http-addr', one.base, '--config', one.config]
    const { output } = await machines.run(args)
    const findings = output.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []))
    return checks.every(check => findings.find(({ Check }) => Check === check)?.Result === 'ok')
  })

  const forged = first.map(word =>
    word.startsWith('annals-join.') ? `${word.slice(0, -43)}${'x'.repeat(43)}` : word
  )
  const other = join(two.dir, '../five')
  const distrusted = await machines.run([...forged, '--dir', other, '--name=five'])
  t.regex(distrusted.output, /does not belong to the cluster that created the join token/)
  t.false(existsSync(other))
  const used = await machines.run([
    ...first,
    '--dir',
    join(two.dir, '../four'),
    '--address=127.0.0.1',
    '--name=four'
  ])
  t.is(used.code, 1)
  t.regex(used.output, /the join token was used by two/)
  t.false(existsSync(join(two.dir, '../four')))

  two.server.signal('SIGKILL')
  await two.server.exit
  two.killMember()
  await until('writes continue', async () => (await one.put('after')) === 200)
  await until('two is removed', async () => {
    const left = await machines.run(['cluster', 'leave', '--name', 'two', '--config', one.config])
    return left.code === 0 || !/still there/.test(left.output)
  })
  const token = await machines.run(['cluster', 'token', '--config', one.config])
  const [replacing = []] = joinsIn(token.output)
  const next = await machines.start('two', replacing, 'two-again')
  t.is(await next.put('again'), 200)
  const { output } = await machines.run(['cluster', 'status', '--json', '--config', one.config])
  const status = JSON.parse(output)
  t.deepEqual(status.Etcd.map(({ Name }: { readonly Name: string }) => Name).toSorted(), [
    'one',
    'three',
    'two'
  ])
  t.true(status.Etcd.every(({ Fault }: { readonly Fault: unknown }) => Fault === null))
})

test('etcd survives a restart of the server and is started again, and one machine continues after the loss of the other', async t => {
  if (await missing(t, 'etcd')) return
  const machines = new Machines(t)
  const one = await machines.start('one', ['cluster', 'init', '--servers=2'])
  const [joining = []] = joinsIn(one.server.log())
  const old = await machines.startWith('echo etcd Version: 3.3.9', 'two', joining)
  t.regex(old.output, /etcd 3\.3\.9 is too old: install etcd/)
  t.false(existsSync(old.folder))
  const version = 'if [ "$1" = --version ]; then echo etcd Version: 3.6.0; else echo broken; exit 1; fi'
  const broken = await machines.startWith(version, 'two', joining)
  t.regex(broken.output, /the join did not end: repeat the same command/)
  t.regex(broken.output, /etcd has ended: broken/)
  const two = await broken.again()
  t.is(await two.put('before'), 200)
  const member = one.memberPid()
  one.server.signal('SIGTERM')
  t.is(await one.server.exit, '0')
  t.true(alive(member))
  const again = await machines.restart(one)
  t.is(again.memberPid(), member)
  again.killMember()
  await until('another member runs', () => again.memberPid() !== member && alive(again.memberPid()))
  await until('writes continue', async () => (await again.put('killed')) === 200)

  two.server.signal('SIGKILL')
  await two.server.exit
  two.killMember()
  const { config } = again
  await until('the status shows the lost majority', async () => {
    const { code, output } = await machines.run(['cluster', 'status', '--config', config])
    return code === 1 && /\ntwo .* not heard of/.test(output) && /etcd does not answer/.test(output)
  })
  const refused = await machines.run(['cluster', 'restore-quorum', '--yes', '--config', config])
  t.regex(refused.output, /the server still runs: stop it first/)
  again.server.signal('SIGKILL')
  await again.server.exit
  const restored = await machines.run(['cluster', 'restore-quorum', '--yes', '--config', config])
  t.is(restored.code, 0, restored.output)
  const alone = await machines.restart(again)
  await until('writes continue alone', async () => (await alone.put('alone')) === 200)
  t.is(await alone.get('before'), 'before')
  const left = await until('two is removed', async () => {
    const { code } = await machines.run(['cluster', 'leave', '--name', 'two', '--config', config])
    return code === 0
  })
  t.true(left)
  alone.server.signal('SIGTERM')
  await alone.server.exit
  const stopped = await machines.run(['cluster', 'stop', '--config', config])
  t.is(stopped.output, 'The member of etcd is stopped.\n')
})

test('after the loss of all machines, a new cluster continues the log of a backup', async t => {
  if (await missing(t, 'etcd')) return
  const machines = new Machines(t)
  const lost = await machines.start('lost', ['cluster', 'init', '--servers=1'])
  t.is(await lost.put('kept'), 200)
  const backup = join(temporaryFolder(t), 'backup')
  const copied = await machines.run(['log', 'backup', '--data-dir', join(lost.dir, 'data'), backup])
  t.is(copied.code, 0, copied.output)
  lost.server.signal('SIGKILL')
  await lost.server.exit
  lost.killMember()
  renameSync(join(lost.dir, 'data'), join(lost.dir, 'lost'))
  const without = await machines.run(['serve', '--config', lost.config])
  t.is(without.code, 1)
  t.regex(
    without.output,
    /the member of etcd has no data in .*annals cluster leave --name lost on another one/
  )

  const key = join(lost.dir, 'encryption.key')
  const prepare = ['cluster', 'init', '--prepare', '--encryption-key', key]
  const { config } = await machines.prepare('next', prepare)
  const restored = await machines.run(['log', 'restore', '--config', config, backup])
  t.is(restored.code, 0, restored.output)
  const next = await machines.restart({ name: 'next', dir: dirname(config), config })
  t.is(await next.get('kept'), 'kept')
  t.is(await next.put('later'), 200)
  const { output } = await machines.run(['cluster', 'token', '--token-ttl', '20s', '--config', config])
  t.is(joinsIn(output).length, 1)
  const [, end = ''] = /run one of these commands until (\S+)\. /.exec(output) ?? []
  t.true(Date.parse(end) <= Date.now() + 20_000, output)
})

test('a wrong token, folder or address is refused, and leaves nothing behind', async t => {
  const machines = new Machines(t)
  const folder = temporaryFolder(t)
  const dir = join(folder, 'new')
  const refused = async (reason: RegExp, ...args: readonly string[]) => {
    const { code, output } = await machines.run(['cluster', ...args])
    t.is(code, 1, output)
    t.regex(output, reason)
    t.false(existsSync(dir))
  }
  const token = (seconds: number) =>
    `annals-join.${'0'.repeat(16)}.${'a'.repeat(43)}.${seconds}.${'b'.repeat(43)}`
  await refused(/the join token is incomplete/, 'join', 'annals-join.1', '127.0.0.1:1', '--dir', dir)
  await refused(/the join token expired at 2001-/, 'join', token(1_000_000_000), '127.0.0.1:1', '--dir', dir)
  await refused(/needs a token and the address/, 'join', token(4_000_000_000), '--dir', dir)
  if (await missing(t, 'etcd')) return
  await refused(/is no IP address/, 'init', '--address=somewhere', '--dir', dir)
  await refused(/is no address of this machine/, 'init', '--address=192.0.2.1', '--dir', dir)
  const address = '--address=127.0.0.1'
  await refused(/is no encryption key/, 'init', address, '--encryption-key', program, '--dir', dir)
  await refused(/name a file that can be read/, 'init', address, '--encryption-key', dir, '--dir', dir)
  await refused(/is no address of a server/, 'join', token(4_000_000_000), 'http://x/y', '--dir', dir)
  await refused(/no server of the cluster answers/, 'join', token(4_000_000_000), '127.0.0.1:1', '--dir', dir)
  writeFileSync(join(folder, 'file'), '')
  await refused(/is not empty/, 'init', '--address=127.0.0.1', '--dir', folder)
})

const YEAR = 365 * 86_400_000

test('a server renews certificates in their last year, and starts its member of etcd again with them', async t => {
  if (await missing(t, 'etcd')) return
  const machines = new Machines(t)
  const one = await machines.start('one', ['cluster', 'init'])
  const [ca, cert] = ['ca.pem', 'server.pem'].map(name => join(one.dir, name))
  if (ca === undefined || cert === undefined) return t.fail()
  const remaining = (file: string): number =>
    Date.parse(new X509Certificate(readFileSync(file)).validTo) - Date.now()
  const settings = loadSettings({ file: one.config, env: {}, flags: {} })
  const then = Date.now() - 9.5 * YEAR
  const old = await withEtcd(settings, etcd =>
    updateAuthority(settings, etcd, authority => renewAuthority(authority, then))
  )
  if (!old) return t.fail()
  const text = await renewCertificate(old, readFileSync(cert, 'utf8'), then)
  writeFileSync(ca, old.certificate)
  writeFileSync(cert, text + old.certificate)
  for (const file of [ca, cert]) t.true(remaining(file) < YEAR)
  t.is(await one.put('before'), 200)

  one.server.signal('SIGTERM')
  await one.server.exit
  // This server may have started its member again as well.
  const former = one.memberPid()
  const again = await machines.restart(one)
  await until('the certificates are renewed', () => [ca, cert].every(file => remaining(file) > 9 * YEAR))
  await until('the member starts again', () => again.memberPid() > 0 && again.memberPid() !== former)
  await until('the server writes', async () => (await again.put('after')) === 200)
  for (const key of ['before', 'after']) t.is(await again.get(key), key)
  t.regex(again.server.log(), /starts again, to trust the renewed authority/)
})
