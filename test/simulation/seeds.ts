// Plays many seeds, two at the same time: `seeds.js --from N --count M --operations K`. Ends with the number of those that failed.
import { parseArgs } from 'node:util'
import { play, summaryOf } from './play.js'

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '2000' },
    operations: { type: 'string', default: '2000' }
  }
})
const PROCESSES = 2
const end = Number(values.from) + Number(values.count)
let next = Number(values.from)
let failed = 0
const playNext = async (): Promise<void> => {
  while (next < end) {
    const played = await play('--seed', String(next++), '--operations', values.operations)
    if (played.isFailed) failed++
    console.log(summaryOf(played))
  }
}
await Promise.all(Array.from({ length: PROCESSES }, playNext))
console.log(`${values.count} seeds, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
