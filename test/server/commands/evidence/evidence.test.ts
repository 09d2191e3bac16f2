// Evidence that is exported from a log, and checked without it.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { temporaryFolder } from '../../../support/process.js'
import { auditedServer, SECRET } from './support.js'

/** Checks a bundle, which is all that the machine has. */
const verify = (bundle: string, ...args: readonly string[]): Promise<CommandExit> =>
  annals(['evidence', 'verify', '-', ...args], {}, bundle)

test('all of a log is proved on another machine, and holds no secret', async t => {
  const { log, vkey, kept, keptSize, sign } = await auditedServer(t)
  const size = await sign()
  const { code, output, errors } = await log('export', '--evidence')
  t.is(code, 0, errors)
  t.false(output.includes(SECRET))
  t.false(output.includes(Buffer.from(SECRET).toString('base64').slice(0, 40)))
  const checked = await verify(output, '--key', vkey, '--checkpoint', kept)
  t.is(checked.code, 0, checked.errors)
  for (const line of [
    `the checkpoint in the bundle, of ${size} commits, is signed by annals/`,
    `${size} commits are in that log as written here\nthese are all its commits\n`,
    'parts are kept back: of these the log has the hash\n',
    `the log still begins with the ${keptSize} commits of the checkpoint of ${keptSize} commits in ${kept}, signed by`
  ])
    t.true(checked.output.includes(line), `${line}\n${checked.output}`)
  const alone = await verify(output, '--key', vkey)
  t.regex(alone.output, /a rewrite with the signing key cannot be ruled out\n$/)
})

test('of a range and of a time no commit is missing', async t => {
  const { log, vkey, kept, server } = await auditedServer(t)
  const range = await log('export', '--evidence', '--from', '3', '--to', '7', '--checkpoint', kept)
  const checked = await verify(range.output, '--key', vkey, '--checkpoint', kept)
  t.is(checked.code, 0, checked.errors)
  t.regex(
    checked.output,
    /^5 commits are in that log as written here\nfrom commit 3 to commit 7 none is missing$/m
  )
  // Without the proof that its tree continues the old one.
  const bare = await log('export', '--evidence', '--from', '3', '--to', '7')
  const unproved = await verify(bare.output, '--key', vkey, '--checkpoint', kept)
  t.is(unproved.code, 1)
  t.regex(unproved.errors, /export it with --checkpoint, or all commits/)

  const day = new Date(server.clock.now())
  const [from, to] = [-1, 1].map(hours => new Date(day.getTime() + hours * 3_600_000).toISOString())
  const time = await log('export', '--evidence', '--from', from ?? '', '--to', to ?? '')
  const timed = await verify(time.output, '--key', vkey)
  t.is(timed.code, 0, timed.errors)
  t.true(timed.output.includes('none is missing') || timed.output.includes('all its commits'), timed.output)
})

test('a bundle about one resource contains only its parts, with caller and reason', async t => {
  const { log, vkey } = await auditedServer(t)
  const { output, code, errors } = await log('export', '--evidence', '--topic', 'kv', '--key', 'web/port/2')
  t.is(code, 0, errors)
  const file = join(temporaryFolder(t), 'port.evidence')
  writeFileSync(file, output)
  const checked = await annals(['evidence', 'verify', file, '--key', vkey, '--show'])
  t.is(checked.code, 0, checked.errors)
  t.regex(
    checked.output,
    /^\d+ {2}\S+ {2}\S+ by token .* reason "round 0"\n {4}KV \S+ {2}default\/web\/port\/2\n\d+ /
  )
  t.regex(checked.output, /^2 commits are in that log as written here$/m)
  t.regex(checked.output, /^whether other commits are about it is not proved/m)
})

/** A bundle whose last line fits what stands before it. */
const sealed = (lines: readonly string[]): readonly string[] => {
  const others = lines.slice(0, -1)
  const SHA256 = createHash('sha256')
    .update(others.map(line => `${line}\n`).join(''))
    .digest('hex')
  return [...others, JSON.stringify({ Commits: others.length - 1, SHA256 })]
}

test('a bundle that was changed, cut or is of another log is not believed', async t => {
  const { log, vkey } = await auditedServer(t)
  const other = await auditedServer(t)
  for (const args of [[], ['--from', '2', '--to', '6']]) {
    const { output } = await log('export', '--evidence', ...args)
    const lines = output.trimEnd().split('\n')
    const bundles: readonly (readonly [what: string, lines: readonly string[]])[] = [
      ['a word is another one', sealed(lines.map(line => line.replace('AccessorID', 'accessorID')))],
      ['a salt is another one', sealed(lines.map(line => line.replace('"Salt":"', '"Salt":"AAAA')))],
      ['two are swapped', sealed(lines.with(2, lines[3] ?? '').with(3, lines[2] ?? ''))],
      ['one is there twice', sealed(lines.toSpliced(3, 0, lines[3] ?? ''))],
      ['an index is another one', sealed(lines.map(line => line.replace('"Index":3,', '"Index":4,')))],
      ['a part is gone', sealed(lines.map(line => line.replace(/,\{"Kind":"Payload"[^}]*\}/, '')))],
      ['a line is none', sealed(lines.with(2, '{}'))],
      ['a commit is missing', lines.toSpliced(3, 1)],
      ['it ends early', lines.slice(0, -1)],
      ['something follows', [...lines, lines.at(-1) ?? '']],
      ['it is no bundle', lines.slice(1)]
    ]
    for (const [what, changed] of bundles) {
      const { code, errors } = await verify(`${changed.join('\n')}\n`, '--key', vkey)
      t.is(code, 1, `${what}: ${errors}`)
    }
    // In a range the indexes tell of one that is missing.
    const gap = await verify(`${sealed(lines.toSpliced(3, 1)).join('\n')}\n`, '--key', vkey)
    t.true(gap.code === 1 || /^whether one .* is missing is not proved$/m.test(gap.output), gap.output)
    const foreign = await verify(output, '--key', other.vkey)
    t.is(foreign.code, 1)
    const keyless = await verify(output)
    t.is(keyless.code, 2)
    t.regex(keyless.errors, /--key is missing/)
  }
})

test('what is asked of an export that evidence cannot be is refused', async t => {
  const { log } = await auditedServer(t)
  const tries: readonly (readonly [args: readonly string[], error: RegExp])[] = [
    [['--evidence', '--with-secrets'], /evidence contains no secrets/],
    [['--topic', 'KV'], /need --evidence/],
    [['--evidence', '--to', '100000'], /there is no proof of later ones yet/],
    [['--evidence', '--from', '100000'], /there is no commit from 100000/]
  ]
  for (const [args, error] of tries) {
    const { code, errors } = await log('export', ...args)
    t.is(code, 2, errors)
    t.regex(errors, error)
  }
})

test('an encrypted log is proved, and evidence made of it, without its key', async t => {
  const folder = temporaryFolder(t)
  const key = Buffer.alloc(32, 6).toString('base64')
  const { log, vkey, kept } = await auditedServer(t, { config: { encryption: { key } } })
  const verified = await log('verify', '--key', vkey, '--checkpoint', kept)
  t.is(verified.code, 0, verified.errors)
  t.regex(verified.output, /secrets not opened: the log is encrypted, and no key is configured/)
  const { output } = await log('export', '--evidence')
  writeFileSync(join(folder, 'all'), output)
  const checked = await annals(['evidence', 'verify', join(folder, 'all'), '--key', vkey])
  t.is(checked.code, 0, checked.errors)
  t.false(readFileSync(join(folder, 'all'), 'utf8').includes(SECRET))
})

test('what was erased is not in evidence, and everything is proved all the same', async t => {
  const { server, log, vkey, kept, keptSize } = await auditedServer(t)
  const index = keptSize - 1
  const before = await log('export', '--evidence', '--from', String(index), '--to', String(index))
  t.regex(before.output, /round 0/)
  t.is(await server.app.log.erase([{ index, who: true, events: [0] }]), 2)
  const { output, code, errors } = await log('export', '--evidence')
  t.is(code, 0, errors)
  const line = output.split('\n')[index]
  t.deepEqual(
    JSON.parse(line ?? '').Parts.map(({ Kind, Erased }: { Kind: string; Erased?: true }) => [Kind, Erased]),
    [
      ['Who', true],
      ['Head', undefined],
      ['Payload', true]
    ]
  )
  const checked = await annals(['evidence', 'verify', '-', '--key', vkey, '--checkpoint', kept], {}, output)
  t.is(checked.code, 0, checked.errors)
  t.regex(checked.output, /^2 parts were erased, \d+ parts are kept back: of these the log has the hash$/m)
  const verified = await log('verify', '--key', vkey, '--checkpoint', kept)
  // No commit tells of it.
  t.is(verified.code, 1, verified.output)
  t.regex(verified.errors, /lacks a part that no later commit erases/)
})
