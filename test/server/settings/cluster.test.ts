// What the settings of a cluster must be together.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { advertisedOf } from '../../../server/settings/listeners.js'
import { loadSettings } from '../../../server/settings/load.js'
import { SettingsError } from '../../../server/settings/settings.js'
import { settingsViewOf } from '../../../http/routes/agent/debug.js'
import { temporaryFolder, type Scope } from '../../support/process.js'

const KEY = Buffer.alloc(32, 7).toString('base64')
const cluster = { enabled: true, etcd: { endpoints: ['http://10.0.0.1:2379'] }, secret: KEY }
const sound = { cluster, encryption: { key: KEY } }

/** Without a secret. */
const certified = {
  ...sound,
  ports: { https: 8501 },
  tls: { http: { cert_file: 'c.pem', key_file: 'k.pem' } },
  cluster: {
    ...cluster,
    secret: undefined,
    tls: { ca_file: 'ca.pem', cert_file: 'c.pem', key_file: 'k.pem' }
  }
}

const load = (t: Scope, content: object) => {
  const file = join(temporaryFolder(t), 'config.json')
  writeFileSync(file, JSON.stringify(content))
  return loadSettings({ file, env: {}, flags: {} })
}

const refusal = (t: Scope, content: object): string => {
  try {
    load(t, content)
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  return 'accepted'
}

test('a cluster has defaults, and is off', t => {
  const settings = load(t, {})
  t.false(settings.cluster.enabled)
  t.deepEqual(load(t, sound).cluster, {
    ...settings.cluster,
    ...cluster,
    etcd: {
      endpoints: ['http://10.0.0.1:2379'],
      managed: false,
      prefix: '/annals',
      quota: 2 ** 31
    }
  })
  const { lease_ttl, hold, max_stale, keep_commits, copies, max_clock_skew } = settings.cluster
  t.deepEqual(
    [lease_ttl, hold, max_stale, keep_commits, copies, max_clock_skew],
    [2000, 7000, 10_000, 10_000, 2, 1000]
  )
})

test('a user of etcd needs a password, which may stand in a file, and is never shown', t => {
  const file = join(temporaryFolder(t), 'password')
  writeFileSync(file, 'a secret: 5%\n')
  const withEtcd = (etcd: object) => ({
    ...sound,
    cluster: { ...cluster, etcd: { ...cluster.etcd, ...etcd } }
  })
  const settings = load(t, withEtcd({ user: 'annals', password_file: file }))
  t.is(settings.cluster.etcd.password, 'a secret: 5%')
  t.false(JSON.stringify(settingsViewOf(settings)).includes('a secret'))
  t.regex(
    refusal(t, withEtcd({ user: 'annals' })),
    /^cluster\.etcd\.password must be given with cluster\.etcd\.user/
  )
  t.regex(
    refusal(t, withEtcd({ password: 'x' })),
    /^cluster\.etcd\.user must be given with cluster\.etcd\.password/
  )
  t.regex(
    refusal(t, withEtcd({ user: 'annals', password: 'x', password_file: file })),
    /^cluster\.etcd\.password_file, given .*not be given together with cluster\.etcd\.password/
  )
  writeFileSync(file, ' \n')
  t.regex(
    refusal(t, withEtcd({ user: 'annals', password_file: file })),
    /^cluster\.etcd\.password_file, given .*name a file that is not empty/
  )
})

test('the secret may stand in a file', t => {
  const file = join(temporaryFolder(t), 'secret')
  writeFileSync(file, `${KEY}\n`)
  const { secret: _, ...rest } = cluster
  t.is(load(t, { ...sound, cluster: { ...rest, secret_file: file } }).cluster.secret, KEY)
  t.regex(
    refusal(t, { ...sound, cluster: { ...cluster, secret_file: file } }),
    /^cluster\.secret_file, given .*not be given together with cluster\.secret/
  )
})

test('what a cluster cannot do without is named', t => {
  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ cluster }, /^encryption\.key must be given with cluster\.enabled/],
    [{ ...sound, cluster: { ...cluster, secret: undefined } }, /^cluster\.secret must be given/],
    [{ ...sound, cluster: { ...cluster, etcd: {} } }, /^cluster\.etcd\.endpoints must be given/],
    [
      { ...sound, cluster: { ...cluster, etcd: { endpoints: ['10.0.0.1:2379'] } } },
      /^cluster\.etcd\.endpoints.* must be a list of URLs/
    ],
    [
      { ...sound, cluster: { ...cluster, etcd: { endpoints: ['http://a:1', 'http://a:1'] } } },
      /name each member once/
    ],
    [
      { ...sound, cluster: { ...cluster, etcd: { endpoints: ['http://a:1', 'https://b:1'] } } },
      /all begin with http: or all with https:/
    ],
    [
      { ...sound, cluster: { ...cluster, etcd: { ...cluster.etcd, cert_file: 'c.pem' } } },
      /^cluster\.etcd\.key_file must be given with cluster\.etcd\.cert_file/
    ],
    [
      { ...sound, cluster: { ...cluster, etcd: { ...cluster.etcd, prefix: 'annals' } } },
      /^cluster\.etcd\.prefix.* must be a path/
    ],
    [
      { ...sound, cluster: { ...cluster, lease_ttl: '2500ms' } },
      /^cluster\.lease_ttl.* must be whole seconds/
    ],
    [
      { ...sound, cluster: { ...cluster, advertise: 'http://10.0.0.1:8500/v1' } },
      /^cluster\.advertise.* must be a URL without a path/
    ],
    [
      { ...sound, cluster: { ...cluster, advertise: 'http://10.0.0.1:99999' } },
      /^cluster\.advertise.* must be a URL without a path/
    ],
    [
      { ...certified, cluster: { ...certified.cluster, tls: { ca_file: 'ca.pem', cert_file: 'c.pem' } } },
      /^cluster\.tls\.key_file must be given with cluster\.tls\.ca_file/
    ],
    [
      { ...certified, cluster: { ...certified.cluster, tls: { cert_file: 'c.pem' } }, ports: {} },
      /^cluster\.secret must be given with cluster\.enabled, where cluster\.tls is not/
    ],
    [{ ...certified, ports: {} }, /^ports\.https must be a port with cluster\.tls/],
    [
      { ...certified, cluster: { ...certified.cluster, advertise: 'http://10.0.0.1:8500' } },
      /^cluster\.advertise.* must begin with https: where cluster\.tls is given/
    ],
    [{ ...sound, bind: '0.0.0.0' }, /^cluster\.advertise must be given where HTTP listens on all addresses/]
  ]
  for (const [content, pattern] of refusals) t.regex(refusal(t, content), pattern)
})

test('a server is reached where it listens, unless it says otherwise', t => {
  t.is(advertisedOf(load(t, sound)), 'http://127.0.0.1:8500')
  t.is(advertisedOf(load(t, { ...sound, bind: '::1' })), 'http://[::1]:8500')
  t.is(
    advertisedOf(load(t, { ...sound, ports: { http: 0 } }), { http: 4711, https: -1 }),
    'http://127.0.0.1:4711'
  )
  t.is(advertisedOf(load(t, certified)), 'https://127.0.0.1:8501')
  const behind = { ...sound, cluster: { ...cluster, advertise: 'https://annals-1.example:443' } }
  t.is(advertisedOf(load(t, behind)), 'https://annals-1.example')
})
