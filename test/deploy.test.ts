// The files that users begin a cluster with say what the programs understand.
import { readFileSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { loadSettings } from '../server/settings/load.js'
import { imageEnvironment } from './support/image.js'
import { temporaryFolder } from './support/process.js'

const KEY = Buffer.alloc(32, 7).toString('base64')

/** What of a compose file is looked at here. */
const ComposeFile = Type.Object({
  services: Type.Record(
    Type.String(),
    Type.Object({
      environment: Type.Record(Type.String(), Type.String()),
      networks: Type.Optional(Type.Object({ default: Type.Object({ ipv4_address: Type.String() }) })),
      volumes: Type.Array(Type.String())
    })
  ),
  networks: Type.Object({
    default: Type.Object({
      ipam: Type.Object({ config: Type.Tuple([Type.Object({ subnet: Type.String() })]) })
    })
  }),
  volumes: Type.Record(Type.String(), Type.Null())
})

const OneServer = Type.Object({
  services: Type.Object({
    annals: Type.Object({
      environment: Type.Record(Type.String(), Type.String()),
      volumes: Type.Tuple([Type.String()]),
      ports: Type.Array(Type.String()),
      read_only: Type.Boolean()
    })
  }),
  volumes: Type.Record(Type.String(), Type.Null())
})

const compose = () => {
  const text = readFileSync('deploy/compose/compose.yaml', 'utf8')
  return Value.Parse(ComposeFile, load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }))
}

test('the configuration of a machine is one that a server starts with, and the one of docs/how-to/three-servers.md', t => {
  const folder = temporaryFolder(t)
  const key = join(folder, 'key')
  writeFileSync(key, KEY)
  const text = readFileSync('deploy/systemd/annals.json', 'utf8')
  const file = join(folder, 'annals.json')
  writeFileSync(file, text.replaceAll(/\/etc\/annals\/(encryption\.key|cluster\.secret)/g, key))
  const { cluster } = loadSettings({ file, env: {}, flags: {} })
  t.true(cluster.enabled)
  t.is(cluster.etcd.endpoints.length, 3)
  t.true(readFileSync('docs/how-to/three-servers.md', 'utf8').includes(text))
})

test('the servers of the compose file have sound settings, and each an address of its own', t => {
  const { services, networks, volumes } = compose()
  const subnet = new BlockList()
  const [{ subnet: range }] = networks.default.ipam.config
  const [net = '', bits = ''] = range.split('/')
  subnet.addSubnet(net, Number(bits))
  const servers = Object.entries(services).filter(([name]) => name.startsWith('annals-'))
  t.is(servers.length, 3)
  for (const [
    name,
    {
      environment,
      networks: own,
      volumes: [volume]
    }
  ] of servers) {
    const { bind, addresses, cluster, data_dir, node_name, ports } = loadSettings({
      env: { ...imageEnvironment(), ...environment },
      flags: {}
    })
    t.is(node_name, name)
    t.is(bind, own?.default.ipv4_address ?? '')
    t.true(subnet.check(bind))
    // The container is reached from outside, and from inside itself.
    t.is(addresses.http, '0.0.0.0')
    t.true(cluster.enabled)
    t.is(cluster.advertise, `http://${bind}:${ports.http}`)
    t.is(volume, `${name}:${data_dir}`)
    t.true(name in volumes)
    for (const endpoint of cluster.etcd.endpoints) t.true(new URL(endpoint).hostname in services)
  }
  t.is(new Set(servers.map(([, { environment }]) => environment['ANNALS_BIND'])).size, 3)
})

test('the compose file of one server has its data in a volume, and publishes the ports to this machine alone', t => {
  const { services, volumes } = Value.Parse(OneServer, load(readFileSync('deploy/compose/one.yaml', 'utf8')))
  const { environment, volumes: mounted, ports, read_only } = services.annals
  const settings = loadSettings({ env: { ...imageEnvironment(), ...environment }, flags: {} })
  const [name = '', path] = mounted[0].split(':')
  t.is(path, settings.data_dir)
  t.true(name in volumes)
  t.true(read_only)
  const { http, dns } = settings.ports
  t.deepEqual(ports, [
    `127.0.0.1:${http}:${http}`,
    `127.0.0.1:${dns}:${dns}/tcp`,
    `127.0.0.1:${dns}:${dns}/udp`
  ])
})

test('the members of etcd in the compose file know each other, and the servers know them', t => {
  const members = Object.entries(compose().services).filter(([name]) => name.startsWith('etcd-'))
  const all = members.map(([name]) => `${name}=http://${name}:2380`).join(',')
  t.is(members.length, 3)
  for (const [name, { environment }] of members) {
    t.like(environment, {
      ETCD_NAME: name,
      ETCD_INITIAL_CLUSTER: all,
      ETCD_ADVERTISE_CLIENT_URLS: `http://${name}:2379`,
      ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${name}:2380`
    })
  }
})

test('etcd is started as docs/how-to/three-servers.md says', t => {
  const page = readFileSync('docs/how-to/three-servers.md', 'utf8')
  const timing = /^ETCD_(HEARTBEAT_INTERVAL|ELECTION_TIMEOUT)=(.*)$/gm
  const ofUnit = [...readFileSync('deploy/systemd/etcd.env', 'utf8').matchAll(timing)]
  t.is(ofUnit.length, 2)
  const { environment = {} } = compose().services['etcd-1'] ?? {}
  for (const [, name = '', value = ''] of ofUnit) {
    t.true(page.includes(`--${name.toLowerCase().replaceAll('_', '-')} ${value}`))
    t.is(environment[`ETCD_${name}`], value)
  }
})
