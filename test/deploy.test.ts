// The files that users begin a cluster with say what the program understands.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { loadSettings } from '../http/settings/load.js'
import { temporaryFolder } from './support/process.js'

const KEY = Buffer.alloc(32, 7).toString('base64')

test('the configuration of a machine is one that a server starts with, and the one of docs/cluster.md', t => {
  const folder = temporaryFolder(t)
  const key = join(folder, 'key')
  writeFileSync(key, KEY)
  const text = readFileSync('deploy/systemd/annals.json', 'utf8')
  const file = join(folder, 'annals.json')
  writeFileSync(file, text.replaceAll(/\/etc\/annals\/(encryption\.key|cluster\.secret)/g, key))
  const { cluster } = loadSettings({ file, env: {}, flags: {} })
  t.true(cluster.enabled)
  t.is(cluster.etcd.endpoints.length, 3)
  t.true(readFileSync('docs/cluster.md', 'utf8').includes(text))
})

test('the servers of the compose file have sound settings, and differ in name and address', t => {
  const text = readFileSync('deploy/compose/compose.yaml', 'utf8')
  const variables = (part: string): Record<string, string> =>
    Object.fromEntries(
      [...part.matchAll(/^ +(ANNALS_\w+): '?(.+?)'?$/gm)].map(([, name = '', value = '']) => [name, value])
    )
  const [common = '', ...servers] = text.split(/^ {2}annals-\d:$/m)
  t.is(servers.length, 3 + 3)
  const all = servers
    .slice(0, 3)
    .map(own => loadSettings({ env: { ...variables(common), ...variables(own) }, flags: {} }))
  t.true(all.every(({ cluster }) => cluster.enabled))
  t.is(new Set(all.map(({ node_id }) => node_id)).size, 3)
  t.is(new Set(all.map(({ cluster }) => cluster.advertise)).size, 3)
})

test('etcd is started as docs/cluster.md says', t => {
  const env = readFileSync('deploy/systemd/etcd.env', 'utf8')
  const page = readFileSync('docs/cluster.md', 'utf8')
  for (const [, name = '', value = ''] of env.matchAll(/^ETCD_(HEARTBEAT_INTERVAL|ELECTION_TIMEOUT)=(.*)$/gm))
    t.true(page.includes(`--${name.toLowerCase().replaceAll('_', '-')} ${value}`))
})
