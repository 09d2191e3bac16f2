// `annals cluster` over a real etcd, with a server of this process.
import test, { type ExecutionContext } from 'ava'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLUSTER } from '../../../server/cluster/members/cluster-port.js'
import { startClusteredServer } from '../../../server/cluster/members/clustered-server.js'
import { LiveSettings } from '../../../server/settings/settings.js'
import { loadSettings } from '../../../server/settings/load.js'
import { etcdFor, logAt, memberOf, urlsOf } from '../../events/etcd/support.js'
import { send } from '../../support/client.js'
import { annals, type CommandExit } from '../../support/command-line.js'
import { temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'

const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64')

/** The configuration file of a server. */
const configOf = (t: ExecutionContext, name: string, endpoints: readonly string[], key = KEY): string => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'config.json')
  writeFileSync(
    file,
    JSON.stringify({
      node_name: name,
      data_dir: join(folder, 'data'),
      ports: { http: 0, dns: -1 },
      log: { level: 'silent' },
      acl: { enabled: false },
      encryption: { key },
      cluster: { enabled: true, etcd: { endpoints }, secret: KEY, lease_ttl: '60s' }
    })
  )
  return file
}

const cluster = (config: string, ...args: readonly string[]): Promise<CommandExit> =>
  annals(['cluster', ...args, '--config', config])

/** A server that leads. */
const leading = async (t: ExecutionContext, file: string) => {
  const live = new LiveSettings(() => loadSettings({ file, env: {}, flags: {} }))
  const { port, scope, close } = await startClusteredServer(live, { report: () => {} })
  let closing: Promise<void> | undefined
  const end = (): Promise<void> => (closing ??= close())
  t.teardown(end)
  await until('it leads', () => scope.resolve(CLUSTER).role() === 'leading')
  const base = `http://127.0.0.1:${port}`
  return {
    id: live.current.node_id,
    end,
    put: async (key: string) => (await send(base, 'PUT', `/v1/kv/${key}`, { body: 'value' })).status,
    keys: async () => (await send(base, 'GET', '/v1/kv/?keys')).text
  }
}

test('a cluster is created, shown, joined and left, and created again after etcd was lost', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const [one, two] = ['one', 'two'].map(name => configOf(t, name, urlsOf(etcd)))
  if (!one || !two) return t.fail()
  t.regex((await cluster(one, 'status')).output, /^There is no cluster under \/annals yet/)
  t.regex((await cluster(one, 'join')).output, /^There is no cluster .* the start of this server founds it/)

  const server = await leading(t, one)
  t.is(await server.put('a'), 200)
  const shown = await cluster(two, 'status')
  t.regex(shown.output, /one leads, the newest commit is \d+/)
  t.regex(shown.output, /\none +http:\/\/127\.0\.0\.1:\d+ {2}leads/)
  t.regex(shown.output, /\netcd-1 +http:\/\/127\.0\.0\.1:\d+ +leads +3\.\d+/)
  const json = JSON.parse((await cluster(two, 'status', '--json')).output)
  t.like(json, { Prefix: '/annals', Leader: server.id })
  t.like(json.Servers[0], { ID: server.id, Name: 'one', Part: 'leads' })

  t.regex((await cluster(two, 'join')).output, /^This server can join: it has 0 of \d+ commits/)
  const wrong = await cluster(configOf(t, 'three', urlsOf(etcd), OTHER_KEY), 'join')
  t.is(wrong.code, 1)
  t.regex(wrong.errors, /key/)

  t.regex((await cluster(one, 'leave')).errors, /^annals: one is still there: stop it/)
  t.regex((await cluster(one, 'leave', '--id', 'x')).errors, /no server of the cluster has the node ID x/)
  t.regex(
    (await cluster(two, 'restore-head', '--yes')).errors,
    /one has announced commit|the cluster has commit/
  )
  await server.end()

  await etcd.remove('/annals')
  t.is((await cluster(one, 'restore-head')).errors, 'annals: this cannot be undone: add --yes\n')
  t.regex((await cluster(one, 'restore-head', '--yes')).output, /will continue from commit \d+[^]*Done/)
  const again = await leading(t, one)
  t.is(await again.keys(), '["a"]')
  t.is(await again.put('b'), 200)
  await again.end()
  t.is((await cluster(one, 'leave')).output, 'one is forgotten.\n')
  t.deepEqual(JSON.parse((await cluster(one, 'status', '--json')).output).Servers, [])
})

test('a server that would not reach another one fails to join, and one whose address the others do not reach is refused', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const [one, two] = ['one', 'two'].map(name => configOf(t, name, urlsOf(etcd)))
  if (!one || !two) return t.fail()
  await leading(t, one)
  const ghost = await logAt(t, urlsOf(etcd)).join()
  const announced = { ...memberOf('5ec51e41'), name: 'ghost' }
  await ghost.announce({ ...announced, address: 'http://127.0.0.1:1' })
  const unreached = await cluster(two, 'join')
  t.is(unreached.code, 1)
  t.is(
    unreached.errors,
    'annals: this server does not reach ghost at http://127.0.0.1:1: no connection, or no answer\n'
  )
  await ghost.announce({ ...announced, address: 'http://192.0.2.1:8500' })
  const refused = await cluster(two, 'join')
  t.is(refused.code, 1)
  t.regex(refused.errors, /ghost advertises http:\/\/192\.0\.2\.1:8500: set cluster\.advertise/)
  await ghost.close()
  await cluster(two, 'leave', '--id', '5ec51e41')
  t.is((await cluster(two, 'join')).code, 0)
})

test('a configuration without etcd, or an unreachable etcd, is reported', async t => {
  t.regex((await annals(['cluster', 'status'])).errors, /^annals: the configuration names no etcd/)
  const config = configOf(t, 'one', ['http://127.0.0.1:1'])
  t.regex((await cluster(config, 'status')).errors, /^annals: etcd at http:\/\/127\.0\.0\.1:1: /)
  for (const command of ['token', 'stop'])
    t.regex(
      (await cluster(config, command)).errors,
      /no managed member of etcd .*: annals cluster status shows/
    )
})
