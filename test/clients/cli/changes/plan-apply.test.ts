// `annals plan` and `annals apply` make a server equal to files.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { newest } from '../../../http/routes/events/reverts.js'
import { createToken } from '../../../http/support.js'
import { temporaryFolder } from '../../../support/process.js'
import { run as runCommand } from '../../../../server/commands/run.js'
import { ROOT } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { declaring } from './folder.js'

const HCL = `
policy "deploy" {
  Rules = <<EOF
key_prefix "web/" { policy = "write" }
EOF
}
role "deployer" { Policies = [{ Name = "deploy" }] }
service-defaults "web" { Protocol = "http" }
`
const YAML = `
- Kind: key
  Name: web/port
  Value: "8080"
- Kind: token
  Name: ci
  Description: of CI
  Roles: [{Name: deployer}]
  secret_sink: ci.token
---
query:
  web: {Service: {Service: web}}
`

test('files in HCL, JSON and YAML are applied in one commit, and then nothing is to change', async t => {
  const { server, folder, run, write } = await declaring(t)
  write('access.hcl', HCL)
  write('team/app.yaml', YAML)
  write('motd.txt', 'good morning')
  write('motd.json', '{"Kind": "key", "Name": "motd", "Value": "@motd.txt", "Flags": 18446744073709551615}')
  const before = server.app.views.index
  const planned = await run('plan', '-owner', 'platform', folder)
  t.is(planned.code, 2, planned.errors)
  t.is(
    planned.output,
    [
      '+ create policy deploy',
      '+ create role deployer',
      '+ create token ci',
      '+ create config-entry service-defaults/web',
      '+ create query web',
      '+ create key motd',
      '+ create key web/port',
      '',
      'Plan: 7 to create\n'
    ].join('\n')
  )
  const applied = await run('apply', '-owner', 'platform', '-reason', 'OPS-7', folder)
  t.is(applied.code, 0, applied.errors)
  t.is(server.app.views.index, before + 1)
  t.like((await newest(server)).By, { Owner: 'platform', Reason: 'OPS-7' })
  t.is((await server.send('GET', '/v1/kv/motd?raw')).text, 'good morning')
  t.regex((await server.send('GET', '/v1/kv/motd')).text, /"Flags":18446744073709551615/)
  const sink = join(folder, 'team/ci.token')
  const token = readFileSync(sink, 'utf8').trim()
  t.is(statSync(sink).mode & 0o777, 0o600)
  t.is((await server.send('GET', '/v1/acl/token/self', { token })).status, 200)
  const again = await run('plan', '-owner', 'platform', '-prune', folder)
  t.is(again.code, 0, again.output)
  t.regex(again.output, /^No changes/)
})

test('updates show their fields, and prune deletes what the owner no longer declares', async t => {
  const { server, folder, run, write } = await declaring(t)
  await server.send('PUT', '/v1/kv/free', { body: '1' })
  write('a.yaml', 'key: {a: {Value: "1"}, b: {Value: "1"}}')
  t.is((await run('apply', '-owner', 'o', folder)).code, 0)
  write('a.yaml', 'key: {a: {Value: "2"}}')
  const { output, code } = await run('plan', '-owner', 'o', '-prune', folder)
  t.is(code, 2)
  t.is(output, '~ update key a\n    ~ /Value: "2"\n- delete key b\n\nPlan: 1 to update, 1 to delete\n')
  t.notRegex((await run('plan', '-owner', 'o', folder)).output, /delete/)
  t.is((await run('apply', '-owner', 'o', '-prune', folder)).code, 0)
  t.is((await server.send('GET', '/v1/kv/b')).status, 404)
  t.is((await server.send('GET', '/v1/kv/free')).status, 200)
})

test('a plan in a file is applied as it is, once, and not after a change', async t => {
  const { server, folder, run, write } = await declaring(t)
  write('a.yaml', 'key: {a: {Value: "1"}}')
  const path = join(temporaryFolder(t), 'plan.json')
  t.is((await run('plan', '-out', path, folder)).code, 2)
  write('a.yaml', 'key: {a: {Value: "changed later"}}')
  t.is((await run('apply', path)).code, 0)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '1')
  const index = server.app.views.index
  const again = await run('apply', path)
  t.is(again.code, 0, again.errors)
  t.is(server.app.views.index, index)
  t.is((await run('plan', '-out', path, folder)).code, 2)
  await server.send('PUT', '/v1/kv/a', { body: 'theirs' })
  const stale = await run('apply', path)
  t.is(stale.code, 1)
  t.regex(stale.errors, /key "a" changed since/)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, 'theirs')
})

test('a plan above the limit of a commit is applied in waves, which can be repeated', async t => {
  const { server, folder, run, write } = await declaring(t, { config: { limits: { txn_max_ops: 2 } } })
  write('a.hcl', HCL)
  write('b.yaml', 'policy: {none: {Rules: ""}}\nkey: {a: {Value: "1"}, b: {Value: "1"}}')
  const before = server.app.views.index
  const { code, errors } = await run('apply', folder)
  t.is(code, 0, errors)
  t.is(server.app.views.index, before + 3)
  t.deepEqual(errors.replaceAll(/(?:Commit|set) [^ :]+:? /g, '').split('\n'), [
    'wave 1 of 3 (policy), 2 create',
    '  Rights that changed: policy deploy, policy none',
    '  Rights that have yet to change: role deployer',
    'wave 2 of 3 (role, config-entry), 2 create',
    '  Rights that changed: role deployer',
    'wave 3 of 3 (key), 2 create',
    'Success! Change is applied',
    ''
  ])
  t.regex((await run('plan', folder)).output, /^No changes/)
  const { By } = await newest(server)
  const reverted = await run('revert', '-change-set', By.ChangeSet ?? '')
  t.is(reverted.code, 0, reverted.errors)
  t.is(server.app.views.index, before + 6)
  t.is((await server.send('GET', '/v1/kv/a')).status, 404)
  t.is(server.app.views.policies.named(DEFAULT_TENANCY, 'deploy'), undefined)
})

test('the reason is the git commit of the folder', async t => {
  const { server, folder, run, write } = await declaring(t)
  write('a.yaml', 'key: {a: {Value: "1"}}')
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'Open port ü')
  t.is((await run('apply', folder)).code, 0)
  t.regex((await newest(server)).By.Reason ?? '', /^git [0-9a-f]+: Open port ü$/)
})

test('the secret of a token comes from its file, and a rotated token stays', async t => {
  const { server, folder, run, write } = await declaring(t)
  const secret = '0d2ff1b0-e0a4-4d7a-9c51-2f6c2ab16b4e'
  write('t.hcl', 'token "ci" {\n  Description = "a"\n  secret_file = "secret"\n}')
  write('secret', `${secret}\n`)
  t.is((await run('apply', '-owner', 'o', folder)).code, 0)
  const { text } = await server.send('GET', '/v1/acl/token/self', { token: secret })
  const { AccessorID }: { readonly AccessorID: string } = JSON.parse(text)
  t.is((await server.send('PUT', `/v1/acl/token/${AccessorID}/rotate`)).status, 200)
  t.regex((await run('plan', '-owner', 'o', folder)).output, /^No changes/)
})

test('a change set is reverted, unless others changed a resource since', async t => {
  const { server, folder, run, write } = await declaring(t)
  write('a.yaml', 'key: {a: {Value: "1"}, b: {Value: "1"}}')
  t.is((await run('apply', folder)).code, 0)
  const id = (await newest(server)).By.ChangeSet ?? ''
  t.regex((await run('history', 'kv', 'a')).output, new RegExp(`change set ${id}`))
  const would = await run('revert', '-dry-run', '-change-set', id)
  t.is(would.output, '- delete key b\n- delete key a\n\nPlan: 2 to delete\n')
  await server.send('PUT', '/v1/kv/a', { body: '2' })
  const refused = await run('revert', '-change-set', id)
  t.is(refused.code, 1)
  t.regex(refused.errors, /would refuse key a/)
  t.regex(refused.output, /changed since/)
  t.is((await server.send('GET', '/v1/kv/b')).status, 200)
  t.regex((await run('revert', '-change-set', 'unknown')).errors, /No commit of change set "unknown"/)
  t.regex((await run('revert')).errors, /needs the kind and the key/)
})

test('mistakes in files are named, and nothing is changed', async t => {
  const { server, folder, run, write } = await declaring(t)
  const before = server.app.views.index
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['a.yaml', 'Kind: nonsense\nName: a', /a\.yaml: there is no kind "nonsense"/],
    ['a.yaml', 'Kind: [', /a\.yaml: /],
    ['a.json', '{"Kind": "key"}', /Name of a key is missing/],
    ['a.json', '[1]', /must have objects/],
    ['a.json', '{"polizy": {"a": {}}}', /"polizy" is no kind/],
    ['a.hcl', 'token "ci" { SecretID = "x" }', /secrets are never in files/],
    ['a.hcl', 'key "a" { Value = "@missing" }', /missing cannot be read/],
    ['a.yaml', 'key: {a: {Value: 1}}', /Value of key a must be text/],
    ['a.yaml', '- {Kind: key, Name: a}\n- {Kind: key, Name: a}', /key a is declared in .*a\.yaml, too/],
    ['a.yaml', 'role: {r: {Policies: [{Name: missing}]}}', /would refuse role r/],
    ['a.yaml', 'policy: {p: {Rulez: ""}}', /would refuse policy p/]
  ]
  for (const [name, content, rule] of cases) {
    const path = write(name, content)
    for (const command of ['plan', 'apply']) {
      const { code, errors } = await run(command, folder)
      t.is(code, 1, `${content} ${errors}`)
      t.regex(errors, rule)
      t.true(errors.startsWith('annals: '), errors)
    }
    execFileSync('rm', [path])
  }
  t.is(server.app.views.index, before)
  t.regex((await run('plan', join(folder, 'absent'))).errors, /there is no folder/)
  t.regex((await run('plan', '-prune', folder)).errors, /--prune needs --owner/)
  t.regex((await run('apply', write('x', '{}'))).errors, /is no folder, and no plan/)
  t.is((await run('plan', folder)).code, 0)
})

test('a plan prints data for programs, and a watched one shows drift', async t => {
  const { server, folder, run, write } = await declaring(t)
  write('a.yaml', 'key: {a: {Value: "1"}}')
  const { output, code } = await run('plan', '-o', 'json', folder)
  t.is(code, 2)
  t.like(JSON.parse(output), { DryRun: true, Changes: [{ Kind: 'key', Name: 'a', Action: 'create' }] })
  t.is((await run('apply', folder)).code, 0)
  const [out, err] = [new PassThrough(), new PassThrough()]
  const env = { ANNALS_HTTP_ADDR: server.base, ANNALS_HTTP_TOKEN: ROOT }
  let shown = ''
  out.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  const ended = runCommand(['plan', '-watch', folder], { env, in: Readable.from(['']), out, err })
  await until('there is no drift', () => shown.startsWith('No changes'))
  await server.send('PUT', '/v1/kv/a', { body: '2' })
  await until('the drift is shown', () => shown.includes('update key a'))
  process.emit('SIGINT')
  t.is(await ended, 0)
})

test('a plan shows the rights that tokens lose, and in which datacenters', async t => {
  const { server, folder, run, write } = await declaring(t)
  const put = (path: string, body: object) => server.send('PUT', path, { body })
  const Rules = 'key "port" { policy = "write" }'
  await put('/v1/acl/policy', { Name: 'deploy', Rules })
  await put('/v1/acl/policy', { Name: 'there', Rules, Datacenters: ['dc2'] })
  const { AccessorID } = await createToken(server, { Policies: [{ Name: 'deploy' }] })
  write('access.hcl', 'policy "deploy" { Rules = "key \\"port\\" { policy = \\"read\\" }" }')
  const lost = ['  - key "port": list, write']
  const impactIn = async (): Promise<readonly string[]> => {
    const { output, code, errors } = await run('plan', '--impact', folder)
    t.is(code, 2, errors)
    const lines = output.split('\n')
    return lines.slice(lines.indexOf('Plan: 1 to update') + 1).filter(line => !/^Recorded|^$/.test(line))
  }
  const token = `token ${AccessorID.slice(0, 8)}`
  t.deepEqual(await impactIn(), [token, ...lost])
  await put(`/v1/acl/token/${AccessorID}`, { Policies: [{ Name: 'deploy' }, { Name: 'there' }] })
  t.deepEqual(await impactIn(), [
    `In datacenter dc1: ${token}`,
    ...lost,
    `In all datacenters except dc1, dc2: ${token}`,
    ...lost
  ])
})
