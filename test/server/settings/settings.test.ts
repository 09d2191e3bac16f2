import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import test from 'ava'
import * as Type from 'typebox'
import { clientVariables } from '../../../server/settings/client-variables.js'
import { loadSettings } from '../../../server/settings/load.js'
import { SettingsError } from '../../../server/settings/settings.js'
import { keys } from '../../../server/settings/keys.js'
import { fileScope } from '../../support/file-scope.js'
import { temporaryFolder } from '../../support/process.js'

const folder = temporaryFolder(fileScope(test, 'the folder of the configurations'))

let files = 0
const write = (content: unknown): string => {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const load = (content: unknown = {}, env: Record<string, string> = {}, flags: Record<string, string> = {}) =>
  loadSettings({ file: write(content), env, flags })

const refusal = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  return 'accepted'
}

test('without any source everything has its default', t => {
  const settings = loadSettings({ env: {}, flags: {} })
  t.is(settings.datacenter, 'dc1')
  t.is(settings.primary_datacenter, 'dc1')
  t.is(settings.node_name, hostname())
  t.regex(settings.node_id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  t.is(settings.data_dir, resolve('data'))
  t.deepEqual(settings.addresses, { http: '127.0.0.1', https: '127.0.0.1', dns: '127.0.0.1' })
  t.deepEqual(settings.ports, { http: 8500, https: -1, dns: 8600 })
  t.true(settings.acl.enabled)
  t.is(settings.acl.default_policy, 'deny')
  t.is(settings.acl.token_min_ttl, 60_000)
  t.is(settings.acl.token_max_ttl, 86_400_000)
  t.is(settings.limits.txn_max_ops, 64)
  t.is(settings.encryption.key, undefined)
  t.deepEqual(settings.recursors, [])
  const valueOf = (path: string): unknown =>
    path.split('.').reduce<unknown>((section, name) => Reflect.get(Object(section), name), settings)
  for (const { path, schema } of keys) if (!Type.IsOptional(schema)) t.not(valueOf(path), undefined, path)
})

test('the environment wins over the file, and a flag over both', t => {
  const file = { datacenter: 'a', node_name: 'a', domain: 'a', acl: { default_policy: 'allow' } }
  const settings = load(file, { ANNALS_NODE_NAME: 'b', ANNALS_DOMAIN: 'b' }, { domain: 'c' })
  t.deepEqual([settings.datacenter, settings.node_name, settings.domain], ['a', 'b', 'c'])
  t.is(settings.acl.default_policy, 'allow')
})

test('ANNALS_CONFIG names the file when no flag does', t => {
  const [one, two] = [write({ node_name: 'one' }), write({ node_name: 'two' })]
  t.is(loadSettings({ env: { ANNALS_CONFIG: one }, flags: {} }).node_name, 'one')
  t.is(loadSettings({ file: two, env: { ANNALS_CONFIG: one }, flags: {} }).node_name, 'two')
})

test('texts of the environment become the kind of their key', t => {
  const settings = loadSettings({
    env: {
      ANNALS_PORTS_DNS: '-1',
      ANNALS_COMPAT: 'false',
      ANNALS_RECURSORS: '192.0.2.1, [2001:db8::1]:53',
      ANNALS_NODE_META: '{"rack":"a1"}',
      ANNALS_STREAM_HEARTBEAT: '1m0.5s',
      ANNALS_DNS_CONFIG_SERVICE_TTL: '{"*":"5s"}',
      ANNALS_DOMAIN: ''
    },
    flags: {}
  })
  t.is(settings.ports.dns, -1)
  t.false(settings.compat)
  t.deepEqual(settings.recursors, ['192.0.2.1', '[2001:db8::1]:53'])
  t.deepEqual(settings.node_meta, { rack: 'a1' })
  t.is(settings.stream.heartbeat, 60_500)
  t.deepEqual(settings.dns_config.service_ttl, { '*': 5000 })
  t.is(settings.domain, 'consul')
})

test('what follows from other keys follows them, and yields to what is given', t => {
  const settings = load({ datacenter: 'dc7', bind: '::', addresses: { http: '127.0.0.2' } })
  t.is(settings.primary_datacenter, 'dc7')
  t.deepEqual(settings.addresses, { http: '127.0.0.2', https: '::', dns: '::' })
  t.is(load({ node_name: 'n' }).node_id, load({ node_name: 'n' }).node_id)
  t.not(load({ node_name: 'n' }).node_id, load({ node_name: 'm' }).node_id)
})

test('settings cannot be changed', t => {
  const settings = load({ node_meta: { a: 'b' } })
  t.true(
    Object.isFrozen(settings) && Object.isFrozen(settings.acl.tokens) && Object.isFrozen(settings.node_meta)
  )
})

test('an unknown name is refused, whatever its source, with the nearest known one', t => {
  t.regex(
    refusal(() => load({ datacentre: 'x' })),
    /^unknown key datacentre in file .*\.json; did you mean datacenter\?$/
  )
  t.regex(
    refusal(() => load({ acl: { policy_default: 'x' } })),
    /^unknown key acl\.policy_default in file/
  )
  t.regex(
    refusal(() => load({ bind_addr: 'x' })),
    /did you mean bind\?$/
  )
  t.regex(
    refusal(() => load({ default_policy: 'x' })),
    /did you mean acl\.default_policy\?$/
  )
  t.is(
    refusal(() => load({}, { ANNALS_DATADIR: 'x' })),
    'unknown environment variable ANNALS_DATADIR; did you mean ANNALS_DATA_DIR?'
  )
  t.is(
    refusal(() => load({}, {}, { 'data-dri': 'x' })),
    'unknown flag --data-dri; did you mean --data-dir?'
  )
})

test('a value that breaks the rule of its key is refused with key, source, rule and value', t => {
  t.regex(
    refusal(() => load({ acl: { default_policy: 'maybe' } })),
    /^acl\.default_policy, given in file .*\.json, must be one of "allow", "deny"; it is "maybe"$/
  )
  t.is(
    refusal(() => load({}, { ANNALS_PORTS_HTTP: '80a' })),
    'ports.http, given by environment variable ANNALS_PORTS_HTTP, must be a whole number from -1 to 65535; it is "80a"'
  )
  t.regex(
    refusal(() => load({}, {}, { 'http-port': '70000' })),
    /^ports\.http, given by flag --http-port, must .* 70000$/
  )
  t.regex(
    refusal(() => load({ ports: { http: '8500' } })),
    /^ports\.http.*whole number/
  )
  t.regex(
    refusal(() => load({ ports: 8500 })),
    /^ports, given in file .* must be a JSON object of keys$/
  )
  t.regex(
    refusal(() => load({ acl: { token_min_ttl: '60' } })),
    /^acl\.token_min_ttl.*duration with units/
  )
  t.regex(
    refusal(() => load({ acl: { token_min_ttl: '-1m' } })),
    /^acl\.token_min_ttl/
  )
  t.regex(
    refusal(() => load({ webhook: { timeout: '999ms' } })),
    /^webhook\.timeout.*duration with units.*at least 1s/
  )
  t.is(load({ webhook: { timeout: '1s' } }).webhook.timeout, 1000)
  t.regex(
    refusal(() => load({ dns_config: { service_ttl: { web: '3x' } } })),
    /^dns_config\.service_ttl\.web, given/
  )
  t.regex(
    refusal(() => load({}, { ANNALS_NODE_META: '{rack' })),
    /^node_meta.*written as JSON/
  )
  t.regex(
    refusal(() => load({}, { ANNALS_NODE_META: '[]' })),
    /^node_meta/
  )
  t.regex(
    refusal(() => load({ node_name: null })),
    /^node_name/
  )
})

test('every kind of wrong value is refused for every key, and never ends in another error', t => {
  for (const key of keys) {
    for (const value of [null, '', [null], { '': null }, 1e99]) {
      let content: unknown = value
      for (const name of key.path.split('.').toReversed()) content = { [name]: content }
      t.regex(
        refusal(() => load(content)),
        new RegExp(`^${key.path.replaceAll('.', '\\.')}`),
        JSON.stringify(content)
      )
    }
  }
})

test('a wrong value is refused even when another source overrides it', t => {
  t.regex(
    refusal(() => load({ compat: 'perhaps' }, { ANNALS_COMPAT: 'true' })),
    /^compat, given in file/
  )
})

test('no message repeats a secret', t => {
  const secret = 'hush-hush'
  const messages = [
    refusal(() => load({ encryption: { key: secret } })),
    refusal(() => load({ acl: { tokens: { initial_management: [secret] } } })),
    refusal(() => load({ datacenters: { dc2: { url: 'x', token: secret } } })),
    refusal(() => load({}, { ANNALS_ENCRYPTION_KEY: secret })),
    refusal(() => load(`{"acl": {"tokens": {"default": "${secret}" oops`)),
    refusal(() => load({ encryption: { key_file: write(secret) } }))
  ]
  for (const message of messages) {
    t.not(message, 'accepted')
    t.false(message.includes(secret), message)
  }
})

test('a file that cannot be read or is no JSON object is refused by name', t => {
  const missing = join(folder, 'missing.json')
  t.is(
    refusal(() => loadSettings({ file: missing, env: {}, flags: {} })),
    `configuration file ${missing} cannot be read: ENOENT`
  )
  t.regex(
    refusal(() => load('{\n  "a": 1,,\n}')),
    /^configuration file .*\.json is not valid JSON \(line 2, column 10\)$/
  )
  t.regex(
    refusal(() => load('[]')),
    /must hold a JSON object$/
  )
  t.regex(
    refusal(() => load('')),
    /is not valid JSON/
  )
})

test('the encryption key comes from the file that is named', t => {
  const key = Buffer.alloc(32, 7).toString('base64')
  t.is(load({ encryption: { key_file: write(`${key}\n`) } }).encryption.key, key)
  t.is(load({ encryption: { key } }).encryption.key, key)
  t.regex(
    refusal(() => load({ encryption: { key, key_file: write(key) } })),
    /^encryption\.key_file.*together/
  )
  t.regex(
    refusal(() => load({ encryption: { key_file: join(folder, 'none') } })),
    /^encryption\.key_file.*can be read/
  )
})

test('keys that contradict each other are refused', t => {
  t.regex(
    refusal(() => load({ acl: { token_min_ttl: '48h' } })),
    /^acl\.token_min_ttl, given .*must not exceed/
  )
  t.regex(
    refusal(() => load({ stream: { heartbeat: '10m' } })),
    /^stream\.heartbeat/
  )
  t.regex(
    refusal(() => load({ ports: { http: 8600 } })),
    /^ports\.dns must differ/
  )
})

test('variables of clients are passed over', t => {
  const names = Object.values(clientVariables).map(({ name }) => name)
  t.true(names.includes('HTTP_ADDR') && names.includes('CACERT'))
  const env = Object.fromEntries(
    names.flatMap(name => [`ANNALS_${name}`, `CONSUL_${name}`]).map(name => [name, 'dc1'])
  )
  t.is(loadSettings({ env, flags: {} }).datacenter, 'dc1')
})

test('variables that Kubernetes and the test suite set are passed over', t => {
  const env = {
    ANNALS_SERVICE_HOST: '10.0.0.1',
    ANNALS_SERVICE_PORT_HTTP: '8500',
    ANNALS_PORT: 'tcp://10.0.0.1:8500',
    ANNALS_PORT_8500_TCP_ADDR: '10.0.0.1',
    ANNALS_HTTP_SERVICE_PORT: '8500',
    ANNALS_CRASH_ROUNDS: '500',
    PATH: '/bin'
  }
  t.is(load({}, env).ports.http, 8500)
  t.regex(
    refusal(() => load({}, { ANNALS_PORT: '8500' })),
    /^unknown environment variable ANNALS_PORT/
  )
})

test('listeners and certificates must fit together', t => {
  const file = { cert_file: '/c.pem', key_file: '/k.pem' }
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ ports: { http: -1 } }, /^ports\.http.* must be a port while ports\.https is -1/],
    [{ ports: { https: 8501 } }, /^tls\.http\.cert_file must be given with ports\.https/],
    [
      { tls: { http: { cert_file: '/c.pem' } } },
      /^tls\.http\.key_file must be given with tls\.http\.cert_file/
    ],
    [{ tls: { outgoing: { key_file: '/k.pem' } } }, /^tls\.outgoing\.cert_file must be given/],
    [{ tls: { http: { ...file, verify_incoming: true } } }, /^tls\.http\.ca_file must be given with/],
    [{ tls: { http: { min_version: '1.1' } } }, /^tls\.http\.min_version.* must be one of "1\.2", "1\.3"/],
    [
      { ports: { http: 8501, https: 8501 }, tls: { http: file } },
      /^ports\.https.* must differ from ports\.http/
    ],
    [{ ports: { https: 8600 }, tls: { http: file } }, /^ports\.dns must differ from ports\.https/],
    [
      { outgoing: { allow: ['10.0.0.0/33'] } },
      /^outgoing\.allow.* must be a list of IP addresses and networks/
    ],
    [{ http: { trusted_proxies: ['proxy'] } }, /^http\.trusted_proxies/],
    [{ http: { allowed_origins: ['ui.example'] } }, /^http\.allowed_origins.* must be a list of origins/],
    [{ http: { allowed_hosts: ['ui.example:80'] } }, /^http\.allowed_hosts.* must be a list of host names/]
  ]
  for (const [content, text] of cases)
    t.regex(
      refusal(() => load(content)),
      text
    )
  t.is(
    refusal(() => load({ ports: { http: -1, https: 8500 }, tls: { http: file } })),
    'accepted'
  )
})
