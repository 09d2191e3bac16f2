// A log that is published to a folder: complete for the tools of others, whole after each end of the command, and never of another log.
import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { LogEvidence } from '../../../http/wire/log-evidence.js'
import type { NoteKey } from '../../../events/log/evidence/note-keys.js'
import { openCheckpoint } from '../../../events/log/evidence/signed-checkpoint.js'
import { PublishedFolder, type PublicationTarget } from '../../../server/publication/published-folder.js'
import { folderFiles } from '../../../server/publication/public-files.js'
import { Publisher } from '../../../server/publication/publisher.js'
import { openSourceTree, readHead } from '../../../server/publication/verified-tree.js'
import { contentOf, flip, Killed, killedAt, publishing } from '../../support/published-log.js'
import { annals } from '../../support/command-line.js'
import { buildChecker, missingSumdb } from '../../support/go.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { staticFiles } from '../../support/static-files.js'

/** Publishes a published folder to another one. */
const copy = (from: string, target: PublicationTarget, key: NoteKey) =>
  new Publisher({ source: folderFiles(from), target, keys: [key] }).publish()

test('a published folder holds for golang.org/x/mod/sumdb, grows with the log, and replaces partial by full files', async t => {
  const { vkey, folder, growTo, publish } = await publishing(t)
  const target = join(folder, 'published')
  await growTo(100)
  const first = await publish(target)
  t.is(first.code, 0, first.errors)
  t.regex(first.errors, /^published 10\d commits of annals\//)
  t.true(Object.keys(await contentOf(target)).some(path => path.startsWith('tile/entries/000.p/')))
  await growTo(260)
  t.is((await publish(target, '-key', vkey)).code, 0)
  const again = await publish(target)
  t.is(again.errors, '', 'nothing is new')
  const paths = Object.keys(await contentOf(target))
  t.false(paths.some(path => path.startsWith('tile/entries/000.p/') || path.startsWith('.')))
  t.true(paths.includes('tile/entries/000') && paths.includes('tile/0/000'))
  if (await missingSumdb(t)) return
  const checker = await buildChecker(t, 'tile-checker')
  const { stdout } = await promisify(execFile)(checker, [await staticFiles(t, target), vkey, ''])
  t.regex(stdout, /^26\d entries have the root of the checkpoint, and are in the tiles\n$/)
})

test('a publication that ends at any file continues, and no checkpoint covers a missing file', async t => {
  const { folder, key, growTo, publish } = await publishing(t)
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  await growTo(250)
  await publish(one)
  await growTo(260)
  await publish(two)
  let isComplete = false
  for (let kill = 0; !isComplete; kill++) {
    const target = join(folder, `killed-${kill}`)
    cpSync(one, target, { recursive: true })
    writeFileSync(join(target, '.publishing'), 'a file that was being written')
    try {
      await copy(two, killedAt(new PublishedFolder(target), kill), key)
      isComplete = true
      t.true(kill > 10)
    } catch (error) {
      t.true(error instanceof Killed, String(error))
    }
    const files = folderFiles(target)
    const { head } = await readHead(files, [key])
    const tree = await openSourceTree(files, head)
    t.is((await tree.hashes(0, 0, head.size)).length, 32 * head.size)
    await copy(target, new PublishedFolder(join(folder, `copied-${kill}`)), key)
    await copy(two, new PublishedFolder(target), key)
    const { '.publishing': _, ...content } = await contentOf(target)
    const expected = await contentOf(two)
    for (const [path, bytes] of Object.entries(expected)) t.is(content[path], bytes, path)
  }
})

test('nothing is published of a log that was changed, went back or was forked, and a changed file is named', async t => {
  const { server, folder, key, vkey, growTo, publish } = await publishing(t)
  const [old, source, target] = [join(folder, 'old'), join(folder, 'source'), join(folder, 'target')]
  await growTo(20)
  await publish(old)
  await server.close()
  cpSync(join(folder, 'data'), join(folder, 'fork'), { recursive: true })
  const grown = async (dataDir: string, to: string, extra: string): Promise<void> => {
    const other = await serverInProcess(t, { dataDir: join(folder, dataDir) })
    await other.send('PUT', '/v1/kv/extra', { body: extra })
    await other.scope.resolve(LogEvidence).required.checkpoints.covering(other.app.log.durableIndex)
    t.is((await annals(['log', 'publish', to, '-http-addr', other.base, '-token', ROOT])).code, 0)
    await other.close()
  }
  await grown('data', source, 'one')
  await grown('fork', join(folder, 'forked'), 'two')
  await copy(source, new PublishedFolder(target), key)
  const before = await contentOf(target)
  const refused = async (from: string, message: RegExp, keys = [key]): Promise<void> => {
    const publisher = new Publisher({
      source: folderFiles(from),
      target: new PublishedFolder(target),
      keys
    })
    await t.throwsAsync(publisher.publish(), { message })
    t.deepEqual(await contentOf(target), before)
  }
  t.false((await copy(old, new PublishedFolder(target), key)).isNew, 'an earlier checkpoint is of no use')
  t.deepEqual(await contentOf(target), before)
  await refused(join(folder, 'forked'), /forked/)
  await refused(join(folder, 'missing'), /has no file checkpoint/)

  const empty = join(folder, 'empty')
  const changes: readonly (readonly [path: string, change: (path: string) => void, message: RegExp])[] = [
    ['checkpoint', path => writeFileSync(path, 'garbage'), /note/],
    ['checkpoint', path => writeFileSync(path, Buffer.alloc(2_000_000)), /more than 1000000 bytes/],
    ['checkpoint', path => truncateSync(path, 60), /note|checkpoint/],
    ['tile/0', path => flip(path, 40), /tiles of .* are not those of its checkpoint/],
    ['tile/0', path => truncateSync(path, 40), /has not the \d+ hashes/],
    ['tile/entries', path => flip(path, 5), /the entry of commit 1 in .* is not that of the tree/],
    ['tile/entries', path => truncateSync(path, 50), /the entry of commit 1 in/],
    ['tile/entries', path => appendFileSync(path, '\0\0'), /more than \d+ entries/],
    ['tile/entries', path => writeFileSync(path, Buffer.alloc(20_000_000)), /more than \d+ bytes/]
  ]
  const files = Object.keys(before)
  for (const [number, [prefix, change, message]] of changes.entries()) {
    const bad = join(folder, `bad-${number}`)
    cpSync(source, bad, { recursive: true })
    change(join(bad, files.find(path => path.startsWith(prefix)) ?? ''))
    const publisher = new Publisher({
      source: folderFiles(bad),
      target: new PublishedFolder(empty),
      keys: [key]
    })
    await t.throwsAsync(publisher.publish(), { message }, prefix)
    t.deepEqual(await contentOf(empty), {}, `${number}`)
  }

  // What is published has other bytes than the log.
  const entries = files.find(path => path.startsWith('tile/entries')) ?? ''
  mkdirSync(join(empty, entries, '..'), { recursive: true })
  writeFileSync(join(empty, entries), 'other bytes')
  await t.throwsAsync(copy(source, new PublishedFolder(empty), key), {
    message: new RegExp(`${entries} has other bytes than the log`)
  })
  const stranger = await serverInProcess(t, { log: 'disk' })
  await stranger.send('PUT', '/v1/kv/a', { body: 'a' })
  await stranger.scope.resolve(LogEvidence).required.checkpoints.covering(2)
  const wrong = await annals(
    `log publish ${target} -http-addr ${stranger.base} -token ${ROOT} -key ${vkey}`.split(' ')
  )
  t.is(wrong.code, 1, wrong.errors)
  t.regex(
    wrong.errors,
    /^annals: checkpoint of \S+: the checkpoint is of annals\/.*, and the key of annals\/.*\n$/
  )
  const denied = await annals(['log', 'publish', join(folder, 'denied'), '-http-addr', stranger.base])
  t.is(denied.code, 1, denied.errors)
  t.regex(denied.errors, /operator:read|operator/)
})

test.serial(
  'with --watch, each new checkpoint is published until a signal, also after the server was away',
  async t => {
    const { server, folder, key, growTo, publish } = await publishing(t)
    const target = join(folder, 'watched')
    const running = publish(target, '-watch')
    const published = (size: number): Promise<boolean | undefined> =>
      until(`${size} commits are published`, async () => {
        const note = await new PublishedFolder(target).read('checkpoint', 10_000)
        return note && openCheckpoint(note, { log: [key] }).head.size >= size
      })
    await published(5)
    await growTo(9)
    await published(9)
    await server.close()
    const again = await serverInProcess(t, {
      dataDir: join(folder, 'data'),
      config: { ports: { http: server.port, dns: -1 } }
    })
    await again.send('PUT', '/v1/kv/after', { body: 'the start' })
    await again.scope.resolve(LogEvidence).required.checkpoints.covering(10)
    await published(10)
    process.emit('SIGTERM')
    const { code, errors } = await running
    t.is(code, 0, errors)
    t.regex(errors, /^published \d+ commits of annals\//)
  }
)

test('a folder that takes no files, and a checkpoint in it that is none, are named', async t => {
  const { folder, publish } = await publishing(t)
  const target = join(folder, 'published')
  await publish(target)
  writeFileSync(join(target, 'checkpoint'), 'garbage')
  const malformed = await publish(target)
  t.is(malformed.code, 1)
  t.regex(malformed.errors, /^annals: checkpoint of \S+published: a note /)
  // Node's own recursive creation of folders never ends there.
  const refused = await publish('/proc/none')
  t.is(refused.code, 1)
  t.regex(refused.errors, /^annals: \/proc\/none\/\S+ cannot be written: (ENOENT|EACCES)/)
})
