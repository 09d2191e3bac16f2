// Servers that start while etcd cannot be reached.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { missing } from '../support/programs.js'
import { temporaryFolder } from '../support/process.js'
import { until } from '../support/wait.js'
import { annalsServer, type AnnalsServer } from './annals-server.js'
import { startEtcd, type EtcdMember } from './etcd-member.js'
import { loopbackMachines } from './machines/loopback.js'

/** What a stand-in for systemd receives, and the shell command that makes a server its service. */
const systemd = (t: ExecutionContext) => {
  const folder = temporaryFolder(t)
  const received = join(folder, 'received')
  writeFileSync(received, '')
  const program = join(folder, 'systemd-notify')
  writeFileSync(program, `#!/bin/sh\necho "$@" >> '${received}'\n`)
  chmodSync(program, 0o755)
  const shell = `export PATH="${folder}:$PATH" NOTIFY_SOCKET=/run/systemd/notify`
  return { shell, received: () => readFileSync(received, 'utf8') }
}

interface Begun {
  readonly server: AnnalsServer
  readonly member: EtcdMember
  readonly received: () => string
}

/** A server with an empty data folder, whose etcd does not run. */
const withoutEtcd = async (t: ExecutionContext, timeout: string): Promise<Begun | undefined> => {
  if (await missing(t, 'etcd')) return undefined
  const [machine] = loopbackMachines(1)
  if (!machine) return undefined
  const { members } = await startEtcd(t, [machine])
  const [member] = members
  if (!member) return undefined
  await member.kill()
  const { shell, received } = systemd(t)
  const etcd = { endpoints: [member.url], start_timeout: timeout }
  const server = await annalsServer(t, { machine, name: 'one', cluster: { etcd }, shell })
  server.start()
  return { server, member, received }
}

test('a start without etcd logs that it waits, informs systemd, and continues once etcd answers', async t => {
  const begun = await withoutEtcd(t, '10m')
  if (!begun) return
  const { server, member, received } = begun
  const line =
    /etcd cannot be reached; the start tries for 600 s \(cluster\.etcd\.start_timeout\), 0 s so far: etcd at http:/
  await until('the log has it', () => line.test(server.log()))
  await until('systemd has it', () => received().includes('STATUS=etcd cannot be reached: etcd at http:'))
  t.false(received().includes('READY=1'))
  member.start()
  await server.ready()
  t.regex(server.log(), /etcd is reached after \d+ s/)
  await until('systemd knows that it is ready', () => received().includes('READY=1'))

  await server.stop()
  await member.kill()
  server.start()
  await until('a server with a log names what it waits for', () =>
    server.log().includes('this server cannot join the cluster yet, and tries again: etcd at http:')
  )
  await until('systemd has it, too', () => /READY=1[^]*READY=1[^]*STATUS=etcd at http:/.test(received()))
  const { status, text } = await server.send('GET', '/readyz')
  t.is(status, 503)
  t.regex(text, /this server cannot join the cluster yet: etcd at http:/)
  member.start()
  await server.ready()
  await until('systemd knows that it no longer waits', () =>
    /STATUS=http http:\S+ https off, dns off\n$/.test(received())
  )
})

test('a start gives up after cluster.etcd.start_timeout, and ends at once on a signal', async t => {
  const begun = await withoutEtcd(t, '1s')
  if (!begun) return
  t.is(await begun.server.end(), '1')
  t.regex(begun.server.log(), /annals: etcd at http:/)
  const other = await withoutEtcd(t, '0s')
  if (!other) return t.fail()
  await until('it waits', () => other.server.log().includes('the start tries for ever'))
  await other.server.stop()
  t.pass()
})
