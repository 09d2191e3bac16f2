// What `annals log verify` proves, by the log alone and by what is known from outside.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'ava'
import { noteSigner, vkeyOf } from '../../../../events/log/evidence/note-keys.js'
import { cosignatureLine, parseNote } from '../../../../events/log/evidence/note.js'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { LogEvidence } from '../../../../http/wire/log-evidence.js'
import { proveBundles } from '../../../../server/commands/evidence/stored-bundles.js'
import { withTreeFiles } from '../../../../server/commands/evidence/tree-files.js'
import { annals } from '../../../support/command-line.js'
import { draftsIn, forge } from '../../../support/forged-folder.js'
import { tamper } from '../../../support/forged-log.js'
import { temporaryFolder } from '../../../support/process.js'
import { seeded } from '../../../support/random.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { auditedServer } from './support.js'

const NOTHING = /\nno trusted input was given: a rewrite of the whole log cannot be ruled out\n$/

test('without trusted inputs only the consistency of the log is proved', async t => {
  const { server, log, sign } = await auditedServer(t)
  const beside = await log('verify')
  t.is(beside.code, 0, beside.errors)
  t.regex(beside.output, NOTHING)
  const size = await sign()
  await server.close()
  const { code, output, errors } = await log('verify')
  t.is(code, 0, errors)
  for (const line of [
    `head index ${size}`,
    `the records hold: every part of commits 1 to ${size} has the digest in its commit`,
    'the chain holds: every commit names the hash of the one before it',
    `match commits 1 to ${size}`
  ])
    t.true(output.includes(line), `${line}\n${output}`)
  t.regex(output, NOTHING)
})

test('with a key and a checkpoint that was kept, nothing before it was changed', async t => {
  const { log, vkey, kept, keptSize, sign } = await auditedServer(t)
  const size = await sign()
  const { code, output, errors } = await log('verify', '--key', vkey, '--checkpoint', kept)
  t.is(code, 0, errors)
  t.true(
    output.includes(
      `commits 1 to ${keptSize} are those of the checkpoint of ${keptSize} commits in ${kept}, signed by annals/`
    ),
    output
  )
  t.true(output.endsWith(`no trusted input covers commits ${keptSize + 1} to ${size}\n`), output)
  const unsigned = await log('verify', '--checkpoint', kept)
  t.regex(unsigned.output, /whose signature was not looked at \(no --key was given\)/)

  const byKey = await log('verify', '--key', vkey)
  t.is(byKey.code, 0, byKey.errors)
  t.regex(byKey.output, /no other trusted input was given: a rewrite with the signing key/)
})

test('a checkpoint is read from where a server answers it', async t => {
  const { log, vkey, newest } = await auditedServer(t)
  const text = newest()
  const server = createServer((request, response) =>
    request.url === '/v1/event/checkpoint' ? response.end(text) : response.writeHead(404).end()
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const read = await log('verify', '--key', vkey, '--checkpoint', `${base}/v1/event/checkpoint`)
  t.is(read.code, 0, read.errors)
  t.regex(read.output, /in http:\/\/127\.0\.0\.1:\d+\/v1\/event\/checkpoint, signed by/)
  const missing = await log('verify', '--checkpoint', `${base}/v1/event/other`)
  t.is(missing.code, 2)
  t.regex(missing.errors, /answered 404/)
})

test('the signature of a witness counts wherever the checkpoint lies, and a missing one does not', async t => {
  const { log, vkey, kept, keptSize, newest } = await auditedServer(t)
  const signer = noteSigner('witness.example/1', Buffer.alloc(32, 1), 'cosignature/v1')
  const witness = vkeyOf(signer.key)
  const bare = await log('verify', '--witness', witness)
  t.is(bare.code, 1)
  t.regex(
    bare.errors,
    /no checkpoint beside the log has all the signatures .* is not signed by witness\.example\/1/
  )
  const note = newest()
  const seen = join(temporaryFolder(t), 'seen.checkpoint')
  writeFileSync(seen, note + cosignatureLine(parseNote(Buffer.from(note)).text, signer, 1_790_000_000))
  const given = await log('verify', '--key', vkey, '--witness', witness, '--checkpoint', seen)
  t.is(given.code, 0, given.errors)
  t.regex(given.output, /signed by annals\/.*, seen by witness\.example\/1 on 2026-09-21T/)
  const old = await log('verify', '--witness', witness, '--checkpoint', kept)
  t.is(old.code, 1)
  t.true(
    old.errors.includes(`the checkpoint of size ${keptSize} is not signed by witness.example/1`),
    old.errors
  )
})

test('a hash that was pinned proves all before it', async t => {
  const { log } = await auditedServer(t)
  const { output } = await log('verify')
  const [, index = '', hash = ''] = /head index (\d+)\nhead hash ([0-9a-f]{64})/.exec(output) ?? []
  const good = await log('verify', '--pinned', `${hash}@${index}`)
  t.is(good.code, 0, good.errors)
  t.true(good.output.includes(`commit ${index} has the pinned hash, which covers all commits before it`))
  const other = await log('verify', '--pinned', `${'0'.repeat(64)}@2`)
  t.is(other.code, 1)
  t.regex(other.errors, /commit 2 is not the one of the hash that was given/)
  const later = await log('verify', '--pinned', `${hash}@99999`)
  t.is(later.code, 1)
  t.regex(later.errors, /tells of 99999: the end was cut off/)
})

test('a proof that cannot be attempted is distinguished from a failed one', async t => {
  const { log, kept, dataDir } = await auditedServer(t)
  const tries: readonly (readonly [args: readonly string[], error: RegExp])[] = [
    [['--key', 'no key'], /is no key: one is "name\+hash\+key"/],
    [['--checkpoint', join(dataDir, 'not-there')], /ENOENT/],
    [['--pinned', 'abc'], /is no HASH@INDEX/],
    [['--checkpoint', 'http://127.0.0.1:1/'], /cannot be read/]
  ]
  for (const [args, error] of tries) {
    const { code, errors } = await log('verify', ...args)
    t.is(code, 2, errors)
    t.regex(errors, error)
  }
  const stranger = vkeyOf(noteSigner('annals/00/1', Buffer.alloc(32, 3)).key)
  const { code, errors } = await log('verify', '--key', stranger, '--checkpoint', kept)
  t.is(code, 1)
  t.regex(errors, /the checkpoint is of annals\/[0-9a-f]{32}\/1, and the key of annals\/00\/1/)
})

test('a rewritten log is consistent by itself, and is detected by its tree and by trusted inputs', async t => {
  const { server, path, log, vkey, kept, keptSize } = await auditedServer(t)
  await server.close()
  const drafts = await draftsIn(path)
  const { drafts: forged } = tamper(drafts, { upTo: keptSize, kept: keptSize }, seeded(4))
  await forge(path, forged)
  // Its maker forgot the tree.
  const beside = await log('verify')
  t.is(beside.code, 1)
  t.regex(beside.errors, /the tree beside the log|checkpoint of \d+ commits in/)
  rmSync(join(path, 'tree'), { recursive: true })
  const alone = await log('verify')
  t.is(alone.code, 0, alone.errors)
  t.regex(alone.output, NOTHING)
  for (const args of [
    ['--checkpoint', kept],
    ['--key', vkey, '--checkpoint', kept]
  ]) {
    const { code, errors } = await log('verify', ...args)
    t.is(code, 1)
    t.regex(errors, /are not those of the checkpoint of \d+ commits in .*old\.checkpoint|the end was cut off/)
  }
})

test('a rewrite with the signing key, including tree and checkpoints, is detected by an earlier checkpoint', async t => {
  const { server, dataDir, path, log, vkey, kept, keptSize } = await auditedServer(t)
  await server.close()
  const drafts = await draftsIn(path)
  const bounds = { upTo: keptSize, kept: keptSize }
  let forged = drafts
  for (let seed = 0; forged === drafts; seed++) {
    const tampering = tamper(drafts, bounds, seeded(seed))
    if (tampering.what === 'somebody else is named') forged = tampering.drafts
  }
  await forge(path, forged)
  rmSync(join(path, 'tree'), { recursive: true })
  const next = await serverInProcess(t, { dataDir })
  const evidence = next.scope.resolve(LogEvidence).required
  await evidence.checkpoints.covering(next.app.views.index)
  await next.close()
  t.is(evidence.vkey, vkey)
  const byKey = await log('verify', '--replay', '--key', vkey)
  t.is(byKey.code, 0, byKey.errors)
  t.regex(byKey.output, /a rewrite with the signing key cannot be ruled out/)
  const found = await log('verify', '--key', vkey, '--checkpoint', kept)
  t.is(found.code, 1)
  t.regex(found.errors, /at least one was changed, cut out, moved or put in/)
  const bundle = await log('export', '--evidence', '--checkpoint', kept)
  const checked = await annals(
    ['evidence', 'verify', '-', '--key', vkey, '--checkpoint', kept],
    {},
    bundle.output
  )
  t.is(checked.code, 1)
  t.regex(checked.errors, /at least one was changed, cut out, moved or put in/)
})

test('a restored log is still the one that was signed, under its new incarnation; one that was cut is not', async t => {
  const { server, log, vkey, kept, keptSize } = await auditedServer(t)
  const folder = temporaryFolder(t)
  const [backup, restored, cut] = ['backup', 'restored', 'cut'].map(name => join(folder, name))
  if (!backup || !restored || !cut) return
  await server.close()
  t.is((await log('backup', backup)).code, 0)
  t.is((await annals(['log', 'restore', backup, '--data-dir', restored])).code, 0)
  const known = ['--key', vkey, '--checkpoint', kept]
  const proved = await annals(['log', 'verify', '--data-dir', restored, ...known])
  t.is(proved.code, 0, proved.errors)
  t.regex(proved.output, /\(of incarnation 1, as which the log went on then\), signed by annals\//)

  // Its server signs with the same key under another name.
  const next = await serverInProcess(t, { dataDir: restored })
  const evidence = next.scope.resolve(LogEvidence).required
  await evidence.checkpoints.covering(next.app.views.index)
  t.not(evidence.vkey, vkey)
  const newest = join(folder, 'newest.checkpoint')
  writeFileSync(newest, evidence.checkpoints.newest?.text ?? '')
  const both = await annals(['log', 'verify', '--data-dir', restored, ...known, '--checkpoint', newest])
  t.is(both.code, 0, both.errors)
  t.is(both.output.match(/none was changed, cut out or moved/g)?.length, 2)
  const bundle = await annals(['log', 'export', '--evidence', '--data-dir', restored])
  const checked = await annals(['evidence', 'verify', '-', ...known], {}, bundle.output)
  t.is(checked.code, 0, checked.errors)

  const upTo = ['--until', String(keptSize - 2)]
  t.is((await annals(['log', 'restore', backup, '--data-dir', cut, ...upTo])).code, 0)
  const alone = await annals(['log', 'verify', '--data-dir', cut])
  t.is(alone.code, 0, alone.errors)
  const found = await annals(['log', 'verify', '--data-dir', cut, ...known])
  t.is(found.code, 1)
  t.regex(found.errors, /the end was cut off/)
})

const VALUE = 'x'.repeat(100_000)

test('what was kept of commits that are gone is proved, and what is left is evidence', async t => {
  const folder = temporaryFolder(t)
  const dataDir = join(folder, 'data')
  const path = join(dataDir, 'log')
  const start = async (config = {}): Promise<TestServer> => {
    const log = await SegmentEventLog.open({ path, segmentBytes: 1024 * 1024 })
    return serverInProcess(t, { dataDir, log, config })
  }
  const server = await start()
  for (let i = 0; i < 10; i++) await server.send('PUT', `/v1/kv/key-${i}`, { body: 'first' })
  const evidence = server.scope.resolve(LogEvidence).required
  const old = await evidence.checkpoints.covering(server.app.views.index)
  const kept = join(folder, 'old.checkpoint')
  writeFileSync(kept, old?.text ?? '')
  for (let i = 0; i < 40; i++) await server.send('PUT', `/v1/kv/key-${i % 3}`, { body: `${i}${VALUE}` })
  await server.close()
  const retaining = await start({ log: { level: 'silent', retain: { commits: 10 } } })
  await until('the oldest commits are gone', () => retaining.app.log.firstIndex > (old?.size ?? 0) + 1)
  await retaining.close()
  const { firstIndex } = retaining.app.log

  const known = ['--key', evidence.vkey, '--checkpoint', kept]
  const proved = await annals(['log', 'verify', '--data-dir', dataDir, ...known])
  t.is(proved.code, 0, proved.errors)
  t.true(proved.output.includes(`commits 1 to ${old?.size} are those of the checkpoint of`), proved.output)

  const bundle = await annals(['log', 'export', '--evidence', '--data-dir', dataDir, '--checkpoint', kept])
  t.is(bundle.code, 0, bundle.errors)
  const checked = await annals(['evidence', 'verify', '-', ...known], {}, bundle.output)
  t.is(checked.code, 0, checked.errors)
  t.regex(checked.output, new RegExp(`^from commit ${firstIndex} to commit \\d+ none is missing$`, 'm'))
  const gone = await annals(['log', 'export', '--evidence', '--data-dir', dataDir, '--from', '1'])
  t.is(gone.code, 1)
  t.true(gone.errors.includes(`the oldest is ${firstIndex}`), gone.errors)

  // As it is where commits went before there were trees.
  rmSync(join(path, 'tree'), { recursive: true })
  const bare = await annals(['log', 'verify', '--data-dir', dataDir])
  t.is(bare.code, 0, bare.errors)
  t.regex(bare.output, /\nno tree: commits were pruned before the hashes of all of them were stored\n/)
  const unproved = await annals(['log', 'verify', '--data-dir', dataDir, ...known])
  t.is(unproved.code, 1)
  t.regex(unproved.errors, /nothing can be compared/)
})

test('stored entry bundles are compared with the tree', async t => {
  const { server, log, sign, path } = await auditedServer(t)
  while (server.app.views.index < 256)
    await server.send('PUT', `/v1/kv/n/${server.app.views.index}`, { body: 'x' })
  await sign()
  t.is((await server.send('GET', '/v1/event/tile/entries/000')).status, 200)
  await server.close()
  t.regex((await log('verify')).output, /^1 stored entry bundles hold: their leaves are those of the tree$/m)
  const [name = ''] = readdirSync(join(path, 'entries'))
  const file = join(path, 'entries', name)
  const genuine = readFileSync(file)
  const flipped = Buffer.from(genuine)
  flipped[200] = (flipped[200] ?? 0) ^ 1
  for (const bytes of [
    flipped,
    genuine.subarray(0, -1),
    Buffer.concat([genuine, Buffer.of(0)]),
    Buffer.alloc(0)
  ]) {
    writeFileSync(file, bytes)
    const { code, output } = await log('verify')
    t.is(code, 0)
    t.regex(output, /^1 stored entry bundles are not those of the tree: the next request makes them again$/m)
    await withTreeFiles(path, ({ files, bundles }) =>
      t.throwsAsync(proveBundles({ files, bundles, firstIndex: 257 }), {
        message: /is damaged: .* were pruned/
      })
    )
  }
})
