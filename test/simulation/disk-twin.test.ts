// The simulated disk answers like the file system: random calls to both, with the same answers and the same content.
import test from 'ava'
import type { Access, Disk, DiskFile } from '../../events/log/disk-port.js'
import { NodeDisk } from '../../events/log/node-disk.js'
import { temporaryFolder } from '../events/folders.js'
import { seeded, type Random } from '../support/random.js'
import { SimulatedDisk } from '../support/simulated-disk.js'

const SEQUENCES = Number(process.env['ANNALS_TWIN_SEQUENCES'] ?? 200)
const CALLS = 30
const NAMES = ['a', 'b', 'c']
const ACCESSES: readonly Access[] = ['read', 'write', 'durable']
const MOST_BYTES = 2000

/** One of the two disks, with the files that are open there. */
interface Side {
  readonly disk: Disk
  readonly files: DiskFile[]
}

type Step = (side: Side) => Promise<unknown>

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? { code: error.code } : error

/** Returns what a call answers, or the code of its error. */
const resultOf = async (step: Step, side: Side): Promise<unknown> => {
  try {
    const result: unknown = await step(side)
    return result
  } catch (error) {
    return codeOf(error)
  }
}

const contentOf = async (file: DiskFile): Promise<string> => {
  const bytes = Buffer.alloc(await file.size())
  await file.read(bytes, 0)
  return bytes.toString('hex')
}

/** Chooses a call, the same for both sides. */
const stepOf = (random: Random): Step => {
  const name = NAMES[random.below(NAMES.length)] ?? ''
  const other = NAMES[random.below(NAMES.length)] ?? ''
  const access = ACCESSES[random.below(ACCESSES.length)] ?? 'write'
  const position = random.below(MOST_BYTES)
  const bytes = Buffer.alloc(random.below(MOST_BYTES), 1 + random.below(255))
  const [place, number] = [random.below(2), random.next()]
  const onFile = (step: (file: DiskFile) => Promise<unknown>): Step => {
    return async ({ files }) => {
      const file = files[Math.floor(number * files.length)]
      return file ? step(file) : 'no file is open'
    }
  }
  const steps: readonly Step[] = [
    async ({ disk, files }) => void files.push(await disk.open(name, access)),
    async ({ files }) => {
      const [file] = files.splice(Math.floor(number * files.length), 1)
      await file?.close()
    },
    ({ disk }) => disk.rename(name, other),
    ({ disk }) => disk.unlink(name),
    ({ disk }) => disk.flushNames(),
    async ({ disk }) => [...(await disk.list())].toSorted(),
    onFile(file => file.write(bytes, position)),
    onFile(file => file.write(bytes, position)),
    onFile(file => file.allocate(position, bytes.length)),
    onFile(file => file.truncate(position)),
    onFile(file => file.flush()),
    onFile(file => file.size()),
    onFile(contentOf),
    onFile(file => file.isNamed(name)),
    onFile(async file => file.lock(place, number < 0.5 ? 'shared' : 'exclusive')),
    onFile(async file => file.unlock(place))
  ]
  return steps[random.below(steps.length)] ?? (() => Promise.resolve())
}

test('given random calls, then the simulated disk answers like the file system', async t => {
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const folder = temporaryFolder()
    const real: Side = { disk: new NodeDisk(folder), files: [] }
    const twin: Side = { disk: new SimulatedDisk(folder), files: [] }
    const random = seeded(sequence)
    for (let at = 0; at < CALLS; at++) {
      const step = stepOf(random)
      const expected = await resultOf(step, real)
      t.deepEqual(
        await resultOf(step, twin),
        expected,
        `sequence ${sequence}, call ${at}: ${step.toString()}`
      )
    }
    for (const file of [...real.files, ...twin.files]) await file.close()
  }
})
