// Plays one simulation: `main.js --seed N --operations M`. Prints a summary, or the trace and the first violated invariant.
import 'reflect-metadata'
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { bugOf } from './bugs.js'
import { replaceModules } from './modules.js'
import { replaceGlobals } from './globals.js'
import { World } from './world.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    operations: { type: 'string', default: '300' },
    trace: { type: 'boolean', default: false }
  }
})
const world = new World(Number(values.seed))
replaceModules(values.bug === undefined ? undefined : bugOf(values.bug))
replaceGlobals(world)
// The product is loaded after its time was replaced.
const { simulate } = await import('./simulate.js')
const began = process.cpuUsage()
const { counts, faults, error } = await simulate(world, Number(values.operations))
const print = (text: string): Promise<void> =>
  new Promise(resolve => void process.stdout.write(text, () => resolve()))
const { user, system } = process.cpuUsage(began)
if (values.trace || error) await print(`${world.trace.join('\n')}\n`)
if (error) await print(`${error.stack}\n`)
const digest = createHash('sha256').update(world.trace.join('\n')).digest('hex').slice(0, 16)
await print(
  `seed ${values.seed}: ${error ? 'FAILED' : 'passed'}, ${counts} operations, ${[...faults].map(([name, count]) => `${name} ${count}`).join(', ')}, ` +
    `${Math.round(world.now / 1000)} s of virtual time, ${((user + system) / 1e6).toFixed(1)} s CPU, trace ${digest}\n`
)
process.exit(error ? 1 : 0)
