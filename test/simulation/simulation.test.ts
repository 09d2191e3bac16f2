// Simulations of three servers, each in a process of its own, since it replaces the globals. One at a time: each fills a core, and the processes of
// other tests that make snapshots have the lowest priority.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { projectRoot } from '../support/process.js'
import { BUGS, changedSource } from './bugs.js'
import { play, summaryOf, type Played } from './play.js'
import { shrink, type Script } from './script.js'
import type { Fault } from './faults.js'

const digestOf = (played: Played): string | undefined => /trace ([0-9a-f]+)$/.exec(summaryOf(played))?.[1]

test.serial(
  'given three servers, when clients write under faults, then every invariant holds, the same in each run of a seed',
  async t => {
    for (const seed of ['2', '4']) {
      const runs = [await play('--seed', seed), await play('--seed', seed)]
      for (const { isFailed, output } of runs) t.false(isFailed, output)
      const [first, second] = runs.map(digestOf)
      t.truthy(first)
      t.is(first, second)
    }
  }
)

test.serial('given different seeds, then the traces differ', async t => {
  const [one, other] = [await play('--seed', '5'), await play('--seed', '6')]
  t.not(digestOf(one), digestOf(other))
})

test.serial('given the script that a run saves, then it plays the same again', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-script-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'script.json')
  const first = await play('--seed', '7', '--save', file)
  t.is(digestOf(await play('--script', file)), digestOf(first))
})

test.serial('given a script that fails by two faults and two clients, then it shrinks to them', async t => {
  const faults = Array.from({ length: 40 }, (_, at): Fault => ({
    at,
    kind: 'kill',
    machine: 0,
    peer: 0,
    share: 0
  }))
  const fails = async ({ faults: left = [], clients }: Script): Promise<boolean> =>
    clients >= 2 && [7, 31].every(at => left.some(fault => fault.at === at))
  const small = await shrink({ seed: 1, operations: 800, clients: 12, faults }, fails)
  t.deepEqual([small.operations, small.clients, small.faults?.map(({ at }) => at)], [1, 2, [7, 31]])
})

/** A seed means something else after each change of the product, so a bug may need several. */
const SEEDS = 8
/** Of the bugs, since each takes seconds: in each layer one. */
const PLAYED = [
  'early-acknowledgement',
  'unproved-reads',
  'ignored-check',
  'skipped-commit',
  'missed-apply'
] satisfies (keyof typeof BUGS)[]

test('the place of each bug is in the build', t => {
  for (const change of Object.values(BUGS)) {
    const source = readFileSync(join(projectRoot, 'dist', change.module), 'utf8')
    t.notThrows(() => changedSource(source, change))
  }
})

for (const bug of PLAYED)
  test.serial(`given the bug ${bug}, then the simulation finds it`, async t => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { isFailed, output } = await play('--seed', String(seed), '--operations', '1200', '--bug', bug)
      if (!isFailed) continue
      t.regex(output, /(HistoryError|the simulation was not over)/)
      return
    }
    t.fail(`${SEEDS} seeds have not found it`)
  })
