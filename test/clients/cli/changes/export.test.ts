// The files of an export are what the server has: a plan of them changes nothing, and they make another server equal.
import { join } from 'node:path'
import fc from 'fast-check'
import test, { type ExecutionContext } from 'ava'
import { done } from '../../../http/routes/events/reverts.js'
import { apply, EVERY_KIND } from '../../../http/routes/changes/change-sets.js'
import { temporaryFolder } from '../../../support/process.js'
import { contents, declaring, type Declaring } from './folder.js'
import { createToken } from '../../../http/support.js'
import { runs } from '../../../support/property-runs.js'

const exportTo = async (
  t: ExecutionContext,
  { run }: Declaring,
  folder: string,
  ...args: readonly string[]
) => {
  const { code, errors } = await run('export', '-o', folder, ...args)
  t.is(code, 0, errors)
  return contents(folder)
}

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/)
const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const lines = fc.array(fc.stringMatching(/^[ -~]{0,30}$/), { maxLength: 3 }).map(all => all.join('\n'))
const namespace = fc.constantFrom('default', 'team')
const flags = fc.oneof(fc.nat(9), fc.constant(2 ** 40))

/** Changes of all kinds, some with contents that YAML could change. */
const changes = fc.record({
  keys: fc.uniqueArray(
    fc.record({
      Name: fc.string({ minLength: 1, maxLength: 20 }).filter(key => !['.', '..'].includes(key)),
      Namespace: namespace,
      Value: fc.oneof(text, fc.constantFrom('@file', '  a', 'a\n', '\t', 'null', '1e3', '~', 'no')),
      Flags: flags
    }),
    { selector: ({ Name, Namespace }) => `${Namespace}/${Name}`, maxLength: 5 }
  ),
  binary: fc.uint8Array({ minLength: 1, maxLength: 20 }),
  policies: fc.uniqueArray(
    fc.record({ Name: name, Namespace: namespace, Description: fc.oneof(lines, text) }),
    { selector: ({ Name }) => Name, maxLength: 3 }
  ),
  protocol: fc.constantFrom('http', 'grpc', 'http2'),
  description: lines
})

test('a plan of an export changes nothing, for any content of all kinds', async t => {
  const own = await declaring(t)
  const { server, run } = own
  await done(t, server, 'PUT', '/v1/namespace', { Name: 'team' })
  await fc.assert(
    fc.asyncProperty(changes, async ({ keys, binary, policies, protocol, description }) => {
      const base64 = (value: string) => Buffer.from(value).toString('base64')
      await apply(t, server, {
        Changes: [
          ...EVERY_KIND.filter(({ Kind }) => Kind !== 'token'),
          ...keys.map(({ Name, Namespace, Value, Flags }) => ({
            Kind: 'key',
            Name,
            Namespace,
            Body: { Value: base64(Value), Flags }
          })),
          { Kind: 'key', Name: 'the-binary', Body: { Value: Buffer.from(binary).toString('base64') } },
          ...policies.map(({ Name, Namespace, Description }) => ({
            Kind: 'policy',
            Name: `p-${Name}`,
            Namespace,
            Body: { Description, Rules: `# ${description.replaceAll('\n', '\n# ')}\n` }
          })),
          { Kind: 'config-entry', Name: 'service-defaults/other', Body: { Protocol: protocol } }
        ]
      })
      const folder = temporaryFolder(t)
      const files = await exportTo(t, own, folder)
      const planned = await run('plan', folder)
      t.is(planned.code, 0, planned.output + planned.errors)
      t.deepEqual(await exportTo(t, own, temporaryFolder(t)), files)
    }),
    { numRuns: runs(15) }
  )
})

test('an export has no secrets, and makes another server equal', async t => {
  const [one, other] = [await declaring(t), await declaring(t)]
  const { server } = one
  const { SecretID, AccessorID } = await createToken(server, { Description: 'of web' })
  await apply(t, server, { Owner: 'o', Changes: EVERY_KIND })
  await apply(t, server, {
    Changes: [{ Kind: 'query', Name: 'secret', Body: { Service: { Service: 'web' }, Token: SecretID } }]
  })
  const intention = { SourceName: 'db', DestinationName: 'web2', SourceType: 'consul', Action: 'deny' }
  await done(t, server, 'PUT', '/v1/connect/intentions/exact?source=db&destination=web2', intention)
  const created = await server.send('POST', '/v1/connect/intentions', {
    body: { SourceName: 'a', DestinationName: 'b', Action: 'allow', Meta: { x: '1' } }
  })
  t.is(created.status, 200, created.text)
  const files = await exportTo(t, one, one.folder)
  t.deepEqual(Object.keys(files), [
    'default/auth-method.yaml',
    'default/binding-rule.yaml',
    'default/config-entry.yaml',
    'default/key.yaml',
    'default/policy.yaml',
    'default/role.yaml',
    'default/token.yaml',
    'namespace.yaml',
    'partition.yaml',
    'query.yaml',
    'team/policy.yaml'
  ])
  t.false(JSON.stringify(files).includes(SecretID))
  t.regex(files['query.yaml'] ?? '', /Token: <hidden>/)
  t.regex(files['default/token.yaml'] ?? '', new RegExp(`Name: ${AccessorID}`))
  t.is((await one.run('plan', one.folder)).code, 0)
  one.write('query.yaml', (files['query.yaml'] ?? '').replace(/ +Token: <hidden>\n/, ''))
  const applied = await other.run('apply', one.folder)
  t.is(applied.code, 0, applied.errors + applied.output)
  t.is((await other.run('plan', one.folder)).code, 0)
})

test('an export of some kinds or one namespace leaves out the others, and refuses to leave old files', async t => {
  const own = await declaring(t)
  const { server, folder, run } = own
  await done(t, server, 'PUT', '/v1/namespace', { Name: 'team' })
  await done(t, server, 'PUT', '/v1/kv/a?ns=team', '1')
  await done(t, server, 'PUT', '/v1/kv/a', '1')
  t.deepEqual(Object.keys(await exportTo(t, own, join(folder, 'x'), '-kind', 'key')), [
    'default/key.yaml',
    'team/key.yaml'
  ])
  t.deepEqual(Object.keys(await exportTo(t, own, join(folder, 'y'), '-kind', 'key', '-namespace', 'team')), [
    'team/key.yaml'
  ])
  await done(t, server, 'DELETE', '/v1/kv/a?ns=team')
  const { code, errors } = await run('export', '-o', join(folder, 'x'), '-kind', 'key')
  t.is(code, 1)
  t.regex(errors, /team\/key\.yaml is not a file of this export/)
  t.regex((await run('export')).errors, /--out is missing/)
})
