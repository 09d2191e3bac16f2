// The `test` of one file of a group. The files of a group share a thread and a registry of titles, so titles begin with the path of the file.
import ava, { type ImplementationFn } from 'ava'

const file = new URL(import.meta.url).searchParams.get('file') ?? ''

type Declare = (title: string, implementation: ImplementationFn<[]>) => void
type Hook = () => void | Promise<void>

const ALIVE_MS = 60_000

/** Tests of the file that have not ended. */
let remaining = 0
/** Run after the last test of the file, since what they end would cost time in the later files of the group. */
const hooks: Hook[] = []

const titled = (title: string): string => `${file} › ${title}`

const counted =
  (declare: Declare): Declare =>
  (title, run) => {
    remaining++
    declare(titled(title), t => {
      // A thread that does not keep its process alive may be all that a test waits for.
      const alive = setInterval(() => {}, ALIVE_MS)
      // The last teardown of a test is the one that it registers first.
      t.teardown(async () => {
        clearInterval(alive)
        if (--remaining === 0) for (const hook of hooks) await hook()
      })
      return run(t)
    })
  }

/** Hooks that would run for every test of the group are absent. */
export default Object.assign(counted(ava.serial), {
  serial: counted(ava.serial),
  skip: (title: string, implementation: ImplementationFn<[]>) =>
    ava.serial.skip(titled(title), implementation),
  after: { always: (_title: string, hook: Hook) => void hooks.push(hook) }
})
