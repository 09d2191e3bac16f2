// Finds a small script that fails: `shrink.js --seed N --operations M FILE`. Writes it to the file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { play } from './play.js'
import { readScript, shrink, type Script } from './script.js'

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: '300' },
    bug: { type: 'string' }
  },
  allowPositionals: true
})
const [target] = positionals
if (target === undefined) throw new Error('name the file that the script is written to')
const folder = mkdtempSync(join(tmpdir(), 'annals-shrink-'))
const bug = values.bug === undefined ? [] : ['--bug', values.bug]

/** @returns whether the simulation found a violated invariant */
const fails = async (...args: readonly string[]): Promise<boolean> => (await play(...bug, ...args)).isFailed

const scriptFails = async (script: Script): Promise<boolean> => {
  const file = join(folder, 'script.json')
  writeFileSync(file, JSON.stringify(script))
  const isFailing = await fails('--script', file)
  const { operations, clients, faults = [] } = script
  console.log(
    `${isFailing ? 'fails' : 'passes'}: ${operations} operations of ${clients} clients, ${faults.length} faults`
  )
  return isFailing
}

try {
  const played = join(folder, 'played.json')
  const { seed, operations } = values
  if (!(await fails('--seed', seed, '--operations', operations, '--save', played)))
    throw new Error(`seed ${seed} passes`)
  const script = readScript(played)
  const small = await shrink({ ...script, faults: script.faults ?? [] }, scriptFails)
  writeFileSync(target, `${JSON.stringify(small, undefined, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
