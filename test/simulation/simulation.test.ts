// Simulations of three servers, each in a process of its own, since it replaces the globals.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'
import { BUGS } from './bugs.js'

const MAIN = join(import.meta.dirname, 'main.js')

interface Played {
  readonly code: number
  readonly output: string
}

const play = (...args: readonly string[]): Promise<Played> =>
  new Promise(resolve => {
    execFile(process.execPath, [MAIN, ...args], { maxBuffer: 2 ** 28 }, (error, output) =>
      resolve({ code: error ? Number(error.code) : 0, output })
    )
  })

/** Of the last line of the output. */
const digestOf = ({ output }: Played): string | undefined => /trace ([0-9a-f]+)\n$/.exec(output)?.[1]

test('given three servers, when clients write under faults, then every invariant holds, the same in each run of a seed', async t => {
  for (const seed of ['2', '4']) {
    const runs = [await play('--seed', seed), await play('--seed', seed)]
    for (const { code, output } of runs) t.is(code, 0, output)
    const [first, second] = runs.map(digestOf)
    t.truthy(first)
    t.is(first, second)
  }
})

test('given different seeds, then the traces differ', async t => {
  const [one, other] = [await play('--seed', '5'), await play('--seed', '6')]
  t.not(digestOf(one), digestOf(other))
})

/** A seed means something else after each change of the product, so a bug may need several. */
const SEEDS = 12

for (const bug of Object.keys(BUGS))
  test(`given the bug ${bug}, then the simulation finds it`, async t => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { code, output } = await play('--seed', String(seed), '--operations', '400', '--bug', bug)
      if (code === 0) continue
      t.regex(output, /(HistoryError|the simulation was not over)/)
      return
    }
    t.fail(`${SEEDS} seeds have not found it`)
  })
