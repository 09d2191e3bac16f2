// Audit reports: what they show, what they prove, and that a changed one is not believed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { runBeside } from '../../../../http/wire/cooperative-chunks.js'
import { encodeUsage } from '../../../../http/wire/usage-lines.js'
import { codeOf } from '../../../../projections/acl/usage/question-counter.js'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { temporaryFolder } from '../../../support/process.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken } from '../../../http/support.js'
import { auditedServer, SECRET } from '../evidence/support.js'

interface Report {
  readonly Selection: object
  readonly Completeness: string
  readonly Commits: readonly {
    readonly Index: number
    readonly By: { readonly AccessorID: string; readonly Reason?: string }
    readonly Events: readonly { readonly Topic: string; readonly Key: string; readonly Payload?: object }[]
  }[]
  readonly NotProved: readonly {
    readonly Kind: string
    readonly AccessorID?: string
    readonly Path?: string
  }[]
  readonly Evidence: readonly { readonly Index?: number; readonly Parts?: readonly object[] }[]
}

/** A server with commits of two tokens, of which one writes a value that looks like HTML. */
async function reported(t: ExecutionContext) {
  const { server, dataDir, vkey, kept, sign } = await auditedServer(t, {
    config: { audit: { denials: true } }
  })
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const ID = await createPolicy(
    server,
    'writer',
    'namespace_prefix "" { key_prefix "" { policy = "write" } }'
  )
  const { AccessorID, SecretID } = await createToken(server, { Policies: [{ ID }] })
  const headers = { 'X-Service-Reason': '</script><b>"&' }
  await server.send('PUT', '/v1/kv/a?ns=team', { body: 'mine', token: SecretID })
  await server.send('PUT', '/v1/kv/b', { body: '<script>', token: SecretID, headers })
  await server.send('PUT', '/v1/kv/c?ns=team', { body: 'of another' })
  const denied = await server.send('GET', '/v1/acl/tokens?<b>', { token: SecretID })
  t.is(denied.status, 403)
  await until('the denied attempt is stored', () => existsSync(join(dataDir, 'denials.ndjson')))
  const size = await sign()
  const folder = temporaryFolder(t)
  const report = (name: string, ...args: readonly string[]): Promise<CommandExit> =>
    annals(['audit', 'report', '--data-dir', dataDir, '-o', join(folder, name), ...args])
  const verify = (name: string, ...args: readonly string[]): Promise<CommandExit> =>
    annals(['audit', 'verify', join(folder, name), '--key', vkey, ...args])
  const path = (name: string): string => join(folder, name)
  const read = (name: string): Report => JSON.parse(readFileSync(path(name), 'utf8'))
  return { report, verify, path, read, AccessorID, size, kept, dataDir, vkey }
}

test('a report of everything shows and proves every commit, without secrets', async t => {
  const { report, verify, path, read, size, kept } = await reported(t)
  for (const name of ['all.json', 'all.html']) {
    const written = await report(name, '--checkpoint', kept)
    t.is(written.code, 0, written.errors)
    const checked = await verify(name, '--checkpoint', kept)
    t.is(checked.code, 0, checked.errors)
    t.regex(checked.output, /^these are all its commits$/m)
    t.regex(checked.output, /^the report shows what its evidence proves$/m)
    t.false(readFileSync(path(name), 'utf8').includes(SECRET))
  }
  const { Commits, Completeness } = read('all.json')
  t.is(Commits.length, size)
  t.regex(Completeness, /^Complete/)
  t.true(Commits.some(({ By }) => By.Reason === 'round 0'))
  const page = readFileSync(path('all.html'), 'utf8')
  t.is(page.split('<h2>')[0]?.split('<tr id=').length, size + 1)
  t.true(page.includes('&lt;/script&gt;&lt;b&gt;&quot;&amp;'))
  t.is(page.split('<script').length, 3)
  t.true(page.includes('<h2>Not proved</h2>'))
  t.true(page.includes('denied: GET /v1/acl/tokens?%3Cb%3E: lacks acl:read'))
})

test('a report of one token does not prove that it is complete, and a complete one does', async t => {
  const { report, verify, read, path, AccessorID } = await reported(t)
  t.is((await report('mine.json', '--accessor', AccessorID.toUpperCase())).code, 0)
  const { Commits, Completeness, Evidence } = read('mine.json')
  t.is(Commits.length, 2)
  t.true(Commits.every(({ By }) => By.AccessorID === AccessorID))
  t.regex(Completeness, /not proved/)
  t.is(Evidence.length, 4)
  t.regex((await verify('mine.json')).output, /^whether other commits are about it is not proved/m)

  t.is((await report('whole.json', '--accessor', AccessorID, '--complete')).code, 0)
  const whole = read('whole.json')
  t.deepEqual(whole.Commits, Commits)
  t.regex(whole.Completeness, /^Complete/)
  const checked = await verify('whole.json')
  t.is(checked.code, 0, checked.errors)
  t.regex(checked.output, /^these are all its commits$/m)
  const text = readFileSync(path('whole.json'), 'utf8')
  t.true(text.includes(Buffer.from('mine').toString('base64')))
  t.false(text.includes(Buffer.from('of another').toString('base64')))
})

test('reports of a namespace, a topic and a resource hold their events', async t => {
  const { report, verify, read } = await reported(t)
  const keysOf = async (...args: readonly string[]) => {
    const { code, errors } = await report('some.json', ...args)
    t.is(code, 0, errors)
    const { code: verified, errors: faults } = await verify('some.json')
    t.is(verified, 0, faults)
    return read('some.json').Commits.flatMap(({ Events }) =>
      Events.map(({ Topic, Key }) => `${Topic}:${Key}`)
    )
  }
  t.deepEqual(await keysOf('--namespace', 'team', '--topic', 'kv'), ['KV:a', 'KV:c'])
  t.deepEqual(await keysOf('--namespace', 'team', '--topic', 'KV', '--complete'), ['KV:a', 'KV:c'])
  t.deepEqual(await keysOf('--resource', 'KV:b'), ['KV:b'])
  t.deepEqual(await keysOf('--resource', 'KV:none', '--complete', '--from', '2', '--to', '6'), [])
  t.deepEqual((await keysOf('--from', '2000-01-01T00:00:00Z', '--topic', 'KV', '--complete')).length, 11)
})

/** The JSON of a report whose evidence is these lines; their digest fits. */
const resealed = (text: string, change: (lines: readonly string[]) => readonly string[]): string => {
  const [before = '', evidence = ''] = text.split('"Evidence":[\n')
  const lines = evidence.split('\n').slice(0, -3)
  const changed = change(lines.map(line => line.replace(/^,/, '')))
  const SHA256 = createHash('sha256')
    .update(changed.map(line => `${line}\n`).join(''))
    .digest('hex')
  const all = [...changed, JSON.stringify({ Commits: changed.length - 1, SHA256 })]
  return `${before}"Evidence":[\n${all.join('\n,')}\n]}\n`
}

test('a report that was changed is not believed', async t => {
  const { report, verify, path, AccessorID } = await reported(t)
  t.is((await report('r.json', '--accessor', AccessorID, '--complete')).code, 0)
  t.is((await report('r.html', '--accessor', AccessorID)).code, 0)
  const json = readFileSync(path('r.json'), 'utf8')
  const html = readFileSync(path('r.html'), 'utf8')
  const without = (pattern: RegExp) => (lines: readonly string[]) => lines.filter(line => !pattern.test(line))
  const withheld = (lines: readonly string[]) =>
    lines.map(line =>
      line.includes(AccessorID)
        ? line.replace(
            /\{"Kind":"Payload","Salt":"[^"]*","Text":"(?:[^"\\]|\\.)*"\}/,
            '{"Kind":"Payload","Withheld":true}'
          )
        : line
    )
  const changes: readonly (readonly [name: string, what: string, text: string])[] = [
    ['r.json', 'a row', json.replace('"Command":"SetKey"', '"Command":"DeleteKey"')],
    ['r.json', 'what it says of completeness', json.replace('Complete: the', 'Complete, the')],
    ['r.json', 'no row', json.replace(/"Commits":\[\n.*\n,/, '"Commits":[\n')],
    ['r.json', 'no commit in the evidence', resealed(json, without(/"Index":3,/))],
    ['r.json', 'a selected payload withheld', resealed(json, withheld)],
    ['r.json', 'something behind it', `${json}{}\n`],
    ['r.json', 'its end', json.slice(0, -4)],
    ['r.json', 'another file', '{}\n'],
    [
      'r.json',
      'an unproved line with more',
      json.replace('{"Kind":"Denied"', '{"Kind":"Denied","Proved":true')
    ],
    ['r.json', 'an unproved line of another spelling', json.replace('{"Kind":"Denied"', '{ "Kind":"Denied"')],
    [
      'r.json',
      'commits among unproved lines',
      json.replace('"NotProved":[\n', '"NotProved":[\n{"Index":1}\n,')
    ],
    ['r.html', 'an unproved row', html.replace('lacks acl:read', 'lacks key:read')],
    ['r.html', 'no heading of unproved lines', html.replace('<h2>Not proved</h2>', '<h2>Proved</h2>')],
    ['r.html', 'data that is no Base64', html.replace(/(unproved">\n)./, '$1?')],
    ['r.html', 'a cell', html.replace('<td>SetKey</td>', '<td>DeleteKey</td>')],
    ['r.html', 'a script', html.replace('</table>', '</table><script>alert(1)</script>')]
  ]
  for (const [name, what, text] of changes) {
    t.not(text, name === 'r.json' ? json : html, what)
    writeFileSync(path(name), text)
    const { code, errors } = await verify(name)
    t.is(code, 1, `${what}: ${errors}`)
  }
  writeFileSync(
    path('r.json'),
    resealed(json, lines => lines)
  )
  t.is((await verify('r.json')).code, 0)
})

test('denied attempts and last uses of tokens are shown as not proved, as far as the selection may be about them', async t => {
  const { report, verify, read, path, dataDir, AccessorID } = await reported(t)
  const tenancy = { partition: 'default', namespace: 'default' }
  const holdings = { tenancy, Policies: [], Roles: [], ServiceIdentities: [], NodeIdentities: [] }
  const asked = {
    subject: { accessor: AccessorID, holdings },
    partition: 'default',
    namespace: 'team',
    extent: 'one',
    first: 28_800_000,
    last: 28_800_005
  } as const
  const day = await runBeside(
    encodeUsage({ observed: [], lost: 0 }, [
      { ...asked, code: codeOf('key', 'write', true), segment: 'a</td>', count: 3 },
      { ...asked, code: codeOf('key', 'write', false), segment: 'b', count: 1 }
    ])
  )
  mkdirSync(join(dataDir, 'access-usage'), { recursive: true })
  writeFileSync(join(dataDir, 'access-usage', 'day-20000.ndjson'), day)
  writeFileSync(join(dataDir, 'access-usage', 'day-19999.ndjson'), Buffer.alloc(100, 0xff))
  const shown = async (...args: readonly string[]) => {
    t.is((await report('some.json', ...args)).code, 0)
    const { code, output } = await verify('some.json')
    t.is(code, 0)
    const { NotProved } = read('some.json')
    t.is(/^not proved: \d+ of its lines/m.test(output), NotProved.length > 0)
    return NotProved
  }
  t.like((await shown('--accessor', AccessorID.toUpperCase()))[0], {
    Kind: 'Denied',
    AccessorID,
    Path: '/v1/acl/tokens?%3Cb%3E'
  })
  t.true((await shown()).length > 0)
  const rights = async (...args: readonly string[]) =>
    (await shown(...args)).filter(({ Kind }) => Kind === 'RightUse')
  const [right, ...none] = await rights('--namespace', 'team')
  t.like(right, { AccessorID, Permission: 'key:write', On: 'a</td>', Count: 3 })
  t.deepEqual(none, [])
  t.deepEqual(await rights('--from', '2025-01-01T00:00:00Z'), [])
  t.false((await shown('--to', '3')).some(({ Kind }) => Kind === 'Denied'))
  t.is((await report('rights.html')).code, 0)
  t.is((await verify('rights.html')).code, 0)
  t.true(
    readFileSync(path('rights.html'), 'utf8').includes('used key:write on &quot;a&lt;/td&gt;&quot;: 3 times')
  )
  t.deepEqual(await shown('--resource', 'KV:b'), [])
  t.deepEqual(await shown('--namespace', 'elsewhere'), [])
})

test('commits with an erased author may be of any token', async t => {
  const { server, dataDir, vkey, sign } = await auditedServer(t)
  const ID = await createPolicy(server, 'writer', 'key_prefix "" { policy = "write" }')
  const { AccessorID, SecretID } = await createToken(server, { Policies: [{ ID }] })
  const { AccessorID: other } = await createToken(server, { Description: 'other' })
  await server.send('PUT', '/v1/kv/x', { body: 'x', token: SecretID })
  const erased = await server.send('POST', '/v1/event/erase', {
    body: { Part: 'who', Accessor: AccessorID, Reason: 'asked for' }
  })
  t.is(erased.status, 200, erased.text)
  const file = join(temporaryFolder(t), 'r.json')
  await until('the author is erased', async () => {
    await sign()
    const args = ['--data-dir', dataDir, '-o', file, '--accessor', other, '--complete']
    t.is((await annals(['audit', 'report', ...args])).code, 0)
    return !readFileSync(file, 'utf8').includes(`\\"AccessorID\\":\\"${AccessorID}`)
  })
  const { code, output, errors } = await annals(['audit', 'verify', file, '--key', vkey])
  t.is(code, 0, errors)
  t.regex(output, /^1 commits? ha.* an erased author: whether .* selected is not proved$/m)
})

test('a report on a resource names the order that erased a version, and proves it', async t => {
  const { server, dataDir, vkey, sign } = await auditedServer(t)
  for (const value of ['one', 'two']) await server.send('PUT', '/v1/kv/x/1', { body: value })
  await server.send('PUT', '/v1/kv/y', { body: 'y' })
  const erase = async (order: object): Promise<number> => {
    const { status, text } = await server.send('POST', '/v1/event/erase', {
      body: { Topic: 'KV', Scope: 'history', Reason: 'asked for', ...order }
    })
    t.is(status, 200, text)
    return server.app.log.durableIndex
  }
  const index = await erase({ Prefix: 'x/' })
  await server.send('PUT', '/v1/kv/y', { body: 'z' })
  const other = await erase({ Key: 'y' })
  const folder = temporaryFolder(t)
  const written = async (name: string, ...args: readonly string[]): Promise<string> => {
    await sign()
    const all = ['--data-dir', dataDir, '-o', join(folder, name), '--resource', 'KV:x/1', ...args]
    const { code, errors } = await annals(['audit', 'report', ...all])
    t.is(code, 0, errors)
    return readFileSync(join(folder, name), 'utf8')
  }
  await until('the version is erased', async () => (await written('r.json')).includes('"Erased":true'))
  for (const args of [[], ['--complete']]) {
    const { Commits }: Report = JSON.parse(await written('r.json', ...args))
    t.like(Commits[0], { Events: [{ Key: 'x/1', Erased: true, ErasedBy: [index] }] })
    t.truthy(Commits[1]?.Events[0]?.Payload)
    t.like(Commits[2], { Index: index, By: { Reason: 'asked for' }, Events: [{ Topic: 'Erasure' }] })
    t.is(Commits.length, 3, 'the other order is about another resource')
    t.regex(
      await written('r.html', ...args),
      new RegExp(`erased by the order of commit <a href="#c${index}">`)
    )
    for (const name of ['r.json', 'r.html']) {
      const { code, output, errors } = await annals(['audit', 'verify', join(folder, name), '--key', vkey])
      t.is(code, 0, errors)
      t.regex(
        output,
        args.length > 0 ? /^these are all its commits$/m : /^3 commits are in that log as written here$/m
      )
    }
  }
  const text = readFileSync(join(folder, 'r.json'), 'utf8')
  writeFileSync(join(folder, 'changed.json'), text.replace(`"ErasedBy":[${index}]`, `"ErasedBy":[${other}]`))
  const changed = await annals(['audit', 'verify', join(folder, 'changed.json'), '--key', vkey])
  t.is(changed.code, 1)
  t.regex(changed.errors, /line \d+ of the report is not what its evidence says/)
})

test('what no report can be is refused', async t => {
  const { report, path, dataDir } = await reported(t)
  for (const [args, error] of [
    [['r.txt'], /must end in \.html or \.json/],
    [['r.json', '--resource', 'web'], /must be TOPIC:KEY/],
    [['r.json', '--resource', 'KV:a', '--topic', 'KV'], /leave out --topic/]
  ] as const) {
    const { code, errors } = await report(...(args as readonly [string]))
    t.is(code, 2)
    t.regex(errors, error)
  }
  t.is((await annals(['audit', 'report', '--data-dir', dataDir])).code === 0, false)
  const keyless = await annals(['audit', 'verify', path('r.json')])
  t.is(keyless.code, 2)
  t.regex(keyless.errors, /--key is missing/)
})
