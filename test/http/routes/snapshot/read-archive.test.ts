// What an archive may look like, and what is refused.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGzip, gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { extract, pack } from 'tar-stream'
import type { Commit } from '../../../../events/envelope.js'
import { BadArchive } from '../../../../http/routes/snapshot/format.js'
import {
  readArchive,
  type ArchiveLimits,
  type Unpacking
} from '../../../../http/routes/snapshot/read-archive.js'
import { projectRoot, temporaryFolder } from '../../../support/process.js'
import { serverInProcess } from '../../../support/server.js'
import { archiveOf, TEST_ORIGIN, EVENT, filesOf, line, sha256, type File } from './archive-fixtures.js'
import { restore, save } from './support.js'

const MEBIBYTE = 1024 * 1024
const LIMITS: ArchiveLimits = { snapshot_bytes: 4 * MEBIBYTE, snapshot_line_bytes: MEBIBYTE }

const STATE = [
  line({ Annals: 2 }),
  line({ Index: 1, Time: 'now', By: TEST_ORIGIN, Events: 1 }),
  line({ ...EVENT, Payload: { KV: { Key: 'a' } }, Secrets: { SecretID: 's' } }),
  line({ Index: 2, Time: 'now', By: TEST_ORIGIN, Events: 0 })
].join('')
const META = line({ Version: 1, Index: 2 })

/** Of that state. */
const files = (state: string): readonly File[] => filesOf(state, META)

const NO_LOG: Unpacking = {
  folder: '',
  keys: { vkey: '', pin: undefined },
  commits: () => {
    throw new Error('there is no log in these archives')
  }
}

const read = async (bytes: Buffer, limits = LIMITS): Promise<readonly Commit[]> => {
  const commits: Commit[] = []
  for await (const commit of readArchive(Readable.from([bytes]), limits, NO_LOG)) commits.push(commit)
  return commits
}

test('commits come back with their events and secrets', async t => {
  const commits = await read(await archiveOf(files(STATE)))
  t.deepEqual(
    commits.map(({ Index, Events }) => [Index, Events.map(({ Key, Secrets }) => [Key, Secrets])]),
    [
      [1, [['a', { SecretID: 's' }]]],
      [2, []]
    ]
  )
})

test('whatever is not a whole archive of the right form is refused, and says why', async t => {
  const whole = files(STATE)
  const [meta, state, sums] = whole
  if (!meta || !state || !sums) return t.fail()
  const refused: readonly (readonly [RegExp, Buffer])[] = [
    [/incorrect header check/, Buffer.from('no gzip')],
    [/unexpected end/, Buffer.alloc(0)],
    [/unexpected end/i, (await archiveOf(whole)).subarray(0, -20)],
    [/unexpected end/i, gzipSync(gunzipSync(await archiveOf(whole)).subarray(0, 1500))],
    [/no meta\.json/, await archiveOf([])],
    [/no meta\.json/, await archiveOf([state, sums])],
    [/no SHA256SUMS/, await archiveOf([meta, state])],
    [/not what was written/, await archiveOf([meta, sums])],
    [/not what was written/, await archiveOf([meta, ['state.bin', STATE.replace('"a"', '"b"')], sums])],
    [/not what was written/, await archiveOf([meta, state, ['SHA256SUMS', '']])],
    [/"meta\.json" twice/, await archiveOf([meta, ...whole])],
    [/"other", which is not known/, await archiveOf([...whole, ['other', 'x']])],
    [/"\.\.\/\.\.\/etc\/passwd", which is not known/, await archiveOf([['../../etc/passwd', 'x']])],
    [
      /is no file/,
      await archiveOf([], tar => tar.entry({ name: 'state.bin', type: 'symlink', linkname: '/etc/passwd' }))
    ],
    [/is no file/, await archiveOf([], tar => tar.entry({ name: 'state.bin', type: 'directory' }))],
    [/commits are missing/, await archiveOf(filesOf(STATE, line({ Version: 1, Index: 3 })))],
    [/commits are missing/, await archiveOf(files(STATE.replace('"Index":2', '"Index":3')))],
    [/commits are missing/, await archiveOf(filesOf(line({ Annals: 2 }), line({ Index: 0 })))],
    [/not one that this version reads/, await archiveOf(files(STATE.replace('2}', '3}')))],
    [/not one that this version reads/, await archiveOf(files('\0\u0001 binary'))],
    [/not JSON/, await archiveOf(files(`${STATE}{\n`))],
    [/no commit/, await archiveOf(files(`${STATE}[]\n`))],
    [/lacks an event/, await archiveOf(files(STATE.replace('"Events":0', '"Events":1')))],
    [/lacks an event/, await archiveOf(files(STATE.replace('"Payload":{', '"Payload":7,"x":{')))],
    [/cut short/, await archiveOf(files(STATE.slice(0, -1)))],
    [/"commits\/00000001\.ndjson" in it is empty/, await archiveOf([['commits/00000001.ndjson', '']])]
  ]
  for (const [text, bytes] of refused)
    await t.throwsAsync(read(bytes), { instanceOf: BadArchive, message: text }, String(text))
})

test('text that is not UTF-8 is refused', async t => {
  const tar = pack()
  const state = Buffer.from([0xff, 0x0a])
  tar.entry({ name: 'state.bin' }, state)
  tar.finalize()
  await t.throwsAsync(read(await buffer(tar.pipe(createGzip()))), { instanceOf: BadArchive })
})

test('a bomb is refused by what it unpacks to and by the length of its lines, which the refusal names', async t => {
  const zeros = gzipSync(Buffer.alloc(8 * MEBIBYTE))
  t.true(zeros.length < 10_000)
  await t.throwsAsync(read(zeros), { message: /more than 4194304 bytes \(limits\.snapshot_bytes\)/ })
  const long = await archiveOf(files(`${line({ Annals: 2 })}${'['.repeat(2 * MEBIBYTE)}`))
  await t.throwsAsync(read(long), { message: /more than 1048576 bytes \(limits\.snapshot_line_bytes\)/ })
})

test('over HTTP a bomb is 413 and names the setting', async t => {
  const server = await serverInProcess(t, {
    config: { limits: { snapshot_bytes: MEBIBYTE, snapshot_line_bytes: MEBIBYTE } }
  })
  const { index } = server.app.views
  const { status, text } = await restore(server, gzipSync(Buffer.alloc(2 * MEBIBYTE)))
  t.is(status, 413)
  t.regex(text, /snapshot.*limits\.snapshot_bytes/)
  t.is(server.app.views.index, index)
})

/** The files of an archive, each as often as it is there. */
const filesIn = async (bytes: Buffer): Promise<readonly (readonly [string, Buffer])[]> => {
  const found: [string, Buffer][] = []
  const tar = extract()
  Readable.from([gunzipSync(bytes)]).pipe(tar)
  for await (const entry of tar) found.push([entry.header.name, await buffer(entry)])
  return found
}

for (const query of ['', '?state'])
  test(`an archive has exactly the files that the reference accepts: GET /v1/snapshot${query}`, async t => {
    const found = await filesIn(await save(await serverInProcess(t, { log: 'disk' }), query))
    t.deepEqual(
      found.map(([name]) => name),
      ['meta.json', 'state.bin', 'SHA256SUMS']
    )
    const [meta, state, sums] = found.map(([, content]) => content)
    const sumOf = (content: Buffer | undefined): string => sha256(content ?? '')
    t.is(sums?.toString(), `${sumOf(meta)}  meta.json\n${sumOf(state)}  state.bin\n`)
  })

test('the signature of an archive lies in the header of its sums', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const file = join(temporaryFolder(t), 'backup.tgz')
  writeFileSync(file, await save(server))
  const script =
    'import sys, tarfile; print(tarfile.open(sys.argv[1]).getmember("SHA256SUMS").pax_headers["ANNALS.signature"])'
  const { stdout, error } = spawnSync('python3', ['-c', script, file], { encoding: 'utf8', timeout: 120_000 })
  if (error) {
    t.log('not tried: this machine has no python3')
    return
  }
  const key = (await server.send('GET', '/v1/event/checkpoint/key')).text.trim()
  t.regex(stdout, /^[0-9a-f]{64} {2}meta\.json\n[0-9a-f]{64} {2}state\.bin\n\n/)
  t.true(stdout.includes(`— ${key.slice(0, key.indexOf('+'))} `), stdout)
})

test('an archive says its index and size', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const index = server.app.views.index
  const contents = new Map(await filesIn(await save(server)))
  const text = (name: string): string => contents.get(name)?.toString() ?? ''
  const meta: { readonly Index: number; readonly Size: number } = JSON.parse(text('meta.json'))
  t.is(meta.Index, index)
  t.is(meta.Size, contents.get('state.bin')?.length ?? 0)
})

/** Made by version 0.1 of this server. */
const ofFirstVersion = (): Buffer =>
  readFileSync(join(projectRoot, 'test/http/routes/snapshot/version-0.1.tgz'))

test('an archive of version 0.1 is restored with everything in it', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const { status, text } = await restore(server, ofFirstVersion())
  t.is(status, 200, text)
  const token = '66666666-7777-4888-8999-aaaaaaaaaaaa'
  const get = async (path: string) => {
    const answer = await server.send('GET', path, { token })
    return answer.status === 200 ? JSON.parse(answer.text) : answer
  }
  const self = await get('/v1/acl/token/self')
  t.is(self.AccessorID, '11111111-2222-4333-8444-555555555555')
  t.deepEqual(
    self.Policies.map((link: { Name: string }) => link.Name),
    ['reader']
  )
  t.deepEqual(
    self.Roles.map((link: { Name: string }) => link.Name),
    ['readers']
  )
  t.deepEqual(await get('/v1/kv/?keys'), ['locked', 'plain'])
  const [plain] = await get('/v1/kv/plain')
  t.is(Buffer.from(plain.Value, 'base64').toString(), 'two')
  t.is(plain.Flags, 7)
  const [locked] = await get('/v1/kv/locked')
  const { views } = server.app
  t.is(views.sessions.get(locked.Session)?.session.Name, 'lock')
  t.is(views.kv.get({ partition: 'default', namespace: 'shop' }, 'shop/item')?.key, 'shop/item')
  t.truthy(views.partitions.get('team'))
  t.is(views.catalog.servicesOn('default', 'web-1').length, 1)
  t.is(views.catalog.checksOn('default', 'web-1').length, 1)
  t.is(views.queries.named('nearest')?.token, token)
  const rooted = await server.send('GET', '/v1/config/service-router/web')
  t.is(rooted.status, 200)
})

test('a changed archive of version 0.1 is refused', async t => {
  const tar = gunzipSync(ofFirstVersion())
  tar.write('anything', tar.indexOf('reads keys'))
  await t.throwsAsync(read(gzipSync(tar)), { instanceOf: BadArchive, message: /not what was written/ })
})
