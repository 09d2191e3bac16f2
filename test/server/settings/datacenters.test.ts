// The settings of several datacenters.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { loadSettings } from '../../../server/settings/load.js'
import { SettingsError, type Settings } from '../../../server/settings/settings.js'
import { temporaryFolder, type Scope } from '../../support/process.js'

const load = (t: Scope, content: object): Settings => {
  const file = join(temporaryFolder(t), 'config.json')
  writeFileSync(file, JSON.stringify(content))
  return loadSettings({ file, env: {}, flags: {} })
}

test('what is said of other datacenters must do to reach them', t => {
  const url = 'https://192.0.2.1:8501'
  const shown = { cert_file: 'cert.pem', key_file: 'key.pem', server_name: 'dc2.example' }
  const { datacenters } = load(t, {
    datacenters: { dc2: { url, urls: ['http://192.0.2.2:8500'], ...shown } }
  })
  t.deepEqual(datacenters['dc2'], { url, urls: ['http://192.0.2.2:8500'], ...shown })
  const faults: [RegExp, object][] = [
    [/for "dc2" give "url" or "urls"$/, { dc2: {} }],
    [/for "dc2" name each URL once$/, { dc2: { url, urls: [url] } }],
    [/for "dc2" give "cert_file" and "key_file" together$/, { dc2: { url, cert_file: 'a' } }],
    [/only with a URL that begins with https:$/, { dc2: { url: 'http://192.0.2.1', ca_file: 'a' } }],
    [/not name "dc1", which this server belongs to itself$/, { dc1: { url } }],
    [/have names of 1 to 64 letters.*unlike "dc 2"$/, { 'dc 2': { url } }],
    [/not name "dc2" beside "DC2": DNS cannot tell/, { dc2: { url }, DC2: { url } }],
    [/not name "DC1" beside "dc1": DNS cannot tell/, { DC1: { url } }],
    [/must map names to/, { dc2: { url: 'http://192.0.2.1/path' } }],
    [/must map names to/, { dc2: { url, unknown: 1 } }]
  ]
  for (const [fault, given] of faults) {
    const message =
      t.throws(() => load(t, { datacenters: given }), { instanceOf: SettingsError })?.message ?? ''
    t.regex(message, /^datacenters[^ ]*, given in file /)
    t.regex(message, fault)
  }
})

test('tokens are replicated by default where there is a token to do so by', t => {
  const url = 'http://192.0.2.1'
  const replicates = (given: object): boolean =>
    load(t, { datacenter: 'dc2', primary_datacenter: 'dc1', ...given }).acl.enable_token_replication
  t.true(replicates({ datacenters: { dc1: { url, token: 'x' } } }))
  t.false(replicates({ datacenters: { dc1: { url } } }))
  t.false(replicates({}))
  t.false(
    replicates({
      datacenters: { dc1: { url, token: 'x' } },
      acl: { enable_token_replication: false }
    })
  )
  t.true(replicates({ acl: { enable_token_replication: true } }))
})
