// Plays one simulation: `main.js --seed N --operations M`. Prints a summary, and the trace and the first violated invariant.
import 'reflect-metadata'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bugOf } from './bugs.js'
import { replaceModules } from './modules.js'
import { replaceGlobals } from './globals.js'
import { CLIENTS, readScript, type Script } from './script.js'
import { World } from './world.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: '300' },
    // A file that names what to play, in place of a seed and a number of operations.
    script: { type: 'string' },
    // A file that the script is written to that was played.
    save: { type: 'string' },
    bug: { type: 'string' },
    trace: { type: 'boolean', default: false }
  }
})
const script: Script =
  values.script === undefined
    ? { seed: Number(values.seed), operations: Number(values.operations), clients: CLIENTS }
    : readScript(values.script)
// Such as one of a leak.
process.once('warning', warning => {
  throw warning
})
const world = new World(script.seed)
replaceModules(values.bug === undefined ? undefined : bugOf(values.bug))
replaceGlobals(world)
// The product is loaded after its time was replaced, and what it loads on demand before the world begins.
const [{ simulate }] = await Promise.all([
  import('./simulate.js'),
  import('../../actors/outgoing/guarded-agent.js'),
  import('../../server/datacenter-services.js')
])
const began = process.cpuUsage()
const { operations, faults, error } = await simulate(world, script)
const { user, system } = process.cpuUsage(began)
const print = (text: string): Promise<void> =>
  new Promise(resolve => void process.stdout.write(text, () => resolve()))
if (values.save !== undefined) writeFileSync(values.save, JSON.stringify({ ...script, faults }))
if (values.trace || error) await print(`${world.trace.join('\n')}\n`)
if (error) await print(`${error.stack}\n`)
const counts = new Map<string, number>()
for (const { kind } of faults) counts.set(kind, (counts.get(kind) ?? 0) + 1)
const digest = createHash('sha256').update(world.trace.join('\n')).digest('hex').slice(0, 16)
await print(
  `seed ${script.seed}: ${error ? 'FAILED' : 'passed'}, ${operations} operations, ${faults.length} faults ` +
    `(${[...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')}), ` +
    `${Math.round(world.now / 1000)} s of virtual time, ${((user + system) / 1e6).toFixed(1)} s CPU, trace ${digest}\n`
)
process.exit(error ? 1 : 0)
