// The configuration files of an agent of Consul.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { fromAgent } from '../../../server/settings/from-agent.js'
import { loadSettings } from '../../../server/settings/load.js'
import { annals } from '../../support/command-line.js'
import { runProgram, temporaryFolder, type Scope } from '../../support/process.js'

const FIRST = `
datacenter = "eu1"
server = true
bootstrap_expect = 3
client_addr = "192.0.2.5"
bind_addr = "10.0.0.5"
retry_join = ["10.0.0.6"]
ports { http = 8700, grpc = 8502 }
recursors = ["192.0.2.1"]
log_level = "WARN"
acl = {
  enabled = true
  default_policy = "deny"
  policy_ttl = "30s"
  tokens { master = "b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55", agent = "x" }
}
dns_config { node_ttl = "5s", service_ttl { "*" = "10s" }, a_record_limit = 2 }
service { name = "web" }
nonsense = 1
`
const SECOND = {
  ports: { http: 8800, dns: 53 },
  recursors: ['192.0.2.2'],
  addresses: { http: '{{ GetPrivateIP }}' }
}

/** A folder as /etc/consul.d. */
const folderOf = (t: Scope): string => {
  const folder = join(temporaryFolder(t), 'consul.d')
  mkdirSync(folder)
  writeFileSync(join(folder, '1.hcl'), FIRST)
  writeFileSync(join(folder, '2.json'), JSON.stringify(SECOND))
  writeFileSync(join(folder, 'README.md'), 'not read')
  return folder
}

test('keys of an agent become those that mean the same, and the others are named with the reason', t => {
  const { given, dropped } = fromAgent([folderOf(t)])
  t.deepEqual(Object.fromEntries(given.map(({ key, value }) => [key.path, value])), {
    datacenter: 'eu1',
    bind: '192.0.2.5',
    'ports.http': 8800,
    'ports.dns': 53,
    recursors: ['192.0.2.1', '192.0.2.2'],
    'log.level': 'warn',
    'acl.enabled': true,
    'acl.default_policy': 'deny',
    'acl.tokens.initial_management': 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55',
    'dns_config.node_ttl': '5s',
    'dns_config.service_ttl': { '*': '10s' },
    'dns_config.a_record_limit': 2
  })
  t.deepEqual(
    new Set(dropped.map(({ path }) => path)),
    new Set([
      'server',
      'bootstrap_expect',
      'bind_addr',
      'retry_join',
      'ports.grpc',
      'acl.policy_ttl',
      'acl.tokens.agent',
      'service',
      'nonsense',
      'addresses.http'
    ])
  )
  t.is(dropped.find(({ path }) => path === 'nonsense')?.why, 'it is not known here')
  t.true(dropped.every(({ why }) => why !== ''))
})

test('a Unix socket comes with its owner and permissions', t => {
  const file = join(temporaryFolder(t), 'sockets.hcl')
  const sockets = 'unix_sockets { mode = "0660" user = "root" group = "0" }'
  writeFileSync(file, `addresses { http = "127.0.0.1 unix:///run/consul.sock" }\n${sockets}`)
  const { given, dropped } = fromAgent([file])
  t.like(Object.fromEntries(given.map(({ key, value }) => [key.path, value])), {
    'addresses.http': '127.0.0.1 unix:///run/consul.sock',
    'unix_sockets.mode': '0660',
    'unix_sockets.user': 'root',
    'unix_sockets.group': '0'
  })
  t.deepEqual(dropped, [])
})

test('certificates of HTTPS come from all the places where an agent has them', t => {
  const file = join(temporaryFolder(t), 'tls.hcl')
  const tls =
    'tls { defaults { cert_file = "a.pem", tls_min_version = "TLSv1_3" }, https { cert_file = "b.pem" } }'
  writeFileSync(file, `key_file = "k.pem"\nverify_incoming = true\n${tls}`)
  const { given, dropped } = fromAgent([file])
  t.like(Object.fromEntries(given.map(({ key, value }) => [key.path, value])), {
    'tls.http.key_file': 'k.pem',
    'tls.http.verify_incoming': true,
    'tls.http.cert_file': 'b.pem',
    'tls.http.min_version': '1.3'
  })
  t.deepEqual(dropped, [])
})

test('what an agent takes for granted is said: without ACLs everybody may do everything', t => {
  const file = join(temporaryFolder(t), 'consul.json')
  writeFileSync(file, '{}')
  const { acl } = loadSettings({ agent: fromAgent([file]).given, env: {}, flags: {} })
  t.false(acl.enabled)
  t.is(acl.default_policy, 'allow')
})

test('flags and the own file count before those of the agent', t => {
  const agent = fromAgent([folderOf(t)]).given
  const settings = loadSettings({ agent, env: {}, flags: { 'http-port': '8900', 'https-port': '-1' } })
  t.is(settings.ports.http, 8900)
  t.is(settings.ports.dns, 53)
})

test('`config convert` prints a configuration that a server takes', async t => {
  const folder = folderOf(t)
  const { code, output, errors } = await annals(['config', 'convert', folder])
  t.is(code, 0, errors)
  t.regex(errors, /^not taken: retry_join \(there is no gossip/m)
  const file = join(temporaryFolder(t), 'annals.json')
  writeFileSync(file, output)
  const { datacenter, dns_config: dns } = loadSettings({ file, env: {}, flags: {} })
  t.is(datacenter, 'eu1')
  t.is(dns.a_record_limit, 2)
})

test('limits and the UI of an agent have counterparts, and its data folder is never kept', async t => {
  const file = join(temporaryFolder(t), 'consul.hcl')
  writeFileSync(
    file,
    'data_dir = "/opt/consul"\nui_config { enabled = true }\nlimits { txn_max_req_len = 700000, kv_max_value_size = 600000 }'
  )
  const { code, output, errors } = await annals(['config', 'convert', file])
  t.is(code, 0, errors)
  t.deepEqual(JSON.parse(output), {
    acl: { enabled: false, default_policy: 'allow' },
    limits: { txn_max_body_bytes: 700_000, kv_max_value_size: 600_000 }
  })
  t.regex(errors, /^not taken: data_dir \(Consul has its state there: set data_dir to a new folder\)$/m)
  t.regex(errors, /^not taken: ui_config \(the server always shows its own pages, at \/ui\)$/m)
  t.notRegex(errors, /warning/)
})

test('HTTP that others reach without TLS is warned of', async t => {
  const file = join(temporaryFolder(t), 'consul.hcl')
  const warnings = async (text: string): Promise<readonly string[]> => {
    writeFileSync(file, text)
    const { errors } = await annals(['config', 'convert', file])
    return errors.split('\n').filter(line => line.startsWith('warning: '))
  }
  const acl = 'acl { enabled = true }\n'
  const [plain, ...others] = await warnings(`${acl}client_addr = "0.0.0.0"`)
  t.regex(plain ?? '', /HTTP listens on 0\.0\.0\.0 without TLS/)
  t.deepEqual(others, [])
  t.is((await warnings('client_addr = "0.0.0.0"')).length, 2)
  for (const quiet of [
    'client_addr = "127.0.0.1"',
    'addresses { http = "::1" }\nclient_addr = "0.0.0.0"',
    'client_addr = "0.0.0.0"\nports { http = -1, https = 8501 }\ncert_file = "a"\nkey_file = "b"'
  ])
    t.deepEqual(await warnings(acl + quiet), [], quiet)
})

test('a server refuses the data folder of a Consul agent', async t => {
  for (const name of ['raft', 'serf']) {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, name))
    const { code, output } = await runProgram([
      'serve',
      '--data-dir',
      folder,
      '--http-port',
      '0',
      '--dns-port',
      '-1'
    ])
    t.is(code, 1)
    t.true(
      output.includes(`data_dir must not be the data folder of a Consul agent: ${folder} holds "${name}/"`),
      output
    )
    t.deepEqual(readdirSync(folder), [name])
  }
})

test('unreadable files and invalid values are reported with their place', async t => {
  const folder = temporaryFolder(t)
  const [broken, wrong] = [join(folder, 'broken.hcl'), join(folder, 'wrong.json')]
  writeFileSync(broken, 'datacenter = [')
  writeFileSync(wrong, '{"ports": {"http": "no"}}')
  t.regex((await annals(['config', 'convert', broken])).errors, /broken\.hcl is neither HCL nor JSON: At 1:/)
  t.regex(
    (await annals(['config', 'convert', wrong])).errors,
    /ports\.http, given in the configuration of the agent/
  )
  t.regex((await annals(['config', 'convert', join(folder, 'none')])).errors, /none cannot be read: ENOENT/)
})

test('`serve` takes them, and names what it drops', async t => {
  const folder = folderOf(t)
  // An address that no machine has: the server ends at once.
  const dataDir = join(temporaryFolder(t), 'data')
  const { code, output } = await runProgram(['serve', '--agent-config', folder, '--data-dir', dataDir])
  t.is(code, 1)
  t.regex(output, /not taken: bootstrap_expect/)
  t.regex(output, /192\.0\.2\.5/)
})

test('the own file may be HCL', t => {
  const file = join(temporaryFolder(t), 'annals.hcl')
  writeFileSync(file, 'datacenter = "eu1"\nacl { default_policy = "allow" }\nports { http = 8700 }')
  const settings = loadSettings({ file, env: {}, flags: {} })
  t.is(settings.datacenter, 'eu1')
  t.is(settings.acl.default_policy, 'allow')
  writeFileSync(file, 'datacenter = ]')
  t.throws(() => loadSettings({ file, env: {}, flags: {} }), {
    message: /annals\.hcl is not valid HCL: At 1:14/
  })
  writeFileSync(file, 'data_centre = "a"')
  t.throws(() => loadSettings({ file, env: {}, flags: {} }), { message: /unknown key data_centre/ })
})
