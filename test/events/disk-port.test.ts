// The port to the disk is all that the kernel sees: the calls that strace saw are those that the port was asked for.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { missing } from '../support/programs.js'
import type { Recorded } from '../support/recording-disk.js'
import { temporaryFolder } from './folders.js'

const child = fileURLToPath(new URL('recorded-child.js', import.meta.url))

/** What system calls do, by their names; those that only look are not among them. */
const KINDS: Readonly<Record<string, Recorded[0]>> = {
  write: 'write',
  writev: 'write',
  pwrite64: 'write',
  pwritev: 'write',
  pwritev2: 'write',
  fsync: 'flush',
  fdatasync: 'flush',
  ftruncate: 'truncate',
  truncate: 'truncate',
  fallocate: 'truncate',
  rename: 'rename',
  renameat: 'rename',
  renameat2: 'rename',
  unlink: 'unlink',
  unlinkat: 'unlink'
}

interface Seen {
  readonly calls: readonly Recorded[]
  /** Names of the files that were opened with O_DSYNC. */
  readonly durable: ReadonlySet<string>
}

/** What strace saw of the calls that concern a folder. @param files a file for each thread, so that no call is in two pieces */
const seenBy = (files: readonly string[], folder: string): Seen => {
  const calls: Recorded[] = []
  const durable = new Set<string>()
  for (const line of files.flatMap(file => readFileSync(file, 'utf8').split('\n'))) {
    const [, name = '', args = '', result = ''] = /^(\w+)\((.*)\) += (-?\d+)/.exec(line) ?? []
    const paths = [...args.matchAll(/[<"](\/[^">]*)[">]/g)].flatMap(([, path]) => path ?? [])
    const path = paths.at(-1)
    if (path === undefined || !(path === folder || path.startsWith(`${folder}/`)) || Number(result) < 0)
      continue
    if (name === 'openat' && args.includes('O_DSYNC')) durable.add(basename(path))
    const kind = KINDS[name]
    if (kind === 'write') calls.push([kind, basename(path), Number(result)])
    else if (kind) calls.push([kind, basename(path)])
  }
  return { calls, durable }
}

/** Segments have another name until they are begun. */
const isSegment = (name: string): boolean => /^(next-\d+|.*\.seg)$/.test(name)

/** Bytes written and calls of each other kind, by file. Zeros are allocated in more calls than one. */
const summary = (calls: readonly Recorded[]): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const [kind, name, bytes = 1] of calls) {
    const what = `${kind} ${isSegment(name) ? 'segment' : name}`
    sums[what] = (sums[what] ?? 0) + bytes
  }
  return sums
}

test('what reaches the folder of a log goes through the port, and segments are written through', async t => {
  if (await missing(t, 'strace')) return
  const folder = realpathSync(temporaryFolder())
  const traces = temporaryFolder()
  const { status, stdout, stderr } = spawnSync(
    'strace',
    ['-ff', '-y', '-s', '0', '-o', join(traces, 'calls')].concat(
      ['-e', `trace=openat,${Object.keys(KINDS).join(',')}`],
      [process.execPath, child, folder]
    ),
    { encoding: 'utf8', timeout: 120_000, killSignal: 'SIGKILL' }
  )
  t.is(status, 0, stderr)
  const asked: readonly Recorded[] = JSON.parse(stdout)
  const seen = seenBy(
    readdirSync(traces).map(name => join(traces, name)),
    folder
  )
  t.deepEqual(summary(seen.calls), summary(asked))
  t.true([...seen.durable].some(isSegment), `opened with O_DSYNC: ${[...seen.durable].join(', ')}`)
})
