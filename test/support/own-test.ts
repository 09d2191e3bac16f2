// The `test` of ava for one of the files of a thread: titles begin with its name, and its tests run when those of the files before it are
// over. A module of its own for each file, which its address names (`together.ts`).
import ava, { type ExecutionContext } from 'ava'
import { FileTurn } from './file-turn.js'

type Run = (t: ExecutionContext, ...args: readonly unknown[]) => unknown
interface Macro {
  readonly exec: Run
  readonly title?: (given: string | undefined, ...args: readonly unknown[]) => string
}
/** What a test is declared with: its title, unless a macro makes it, what it does, and what that is given. */
type Declared = readonly [string, Run | Macro, ...unknown[]] | readonly [Macro, ...unknown[]]

const file = new URL(import.meta.url).searchParams.get('of') ?? ''
const turn = new FileTurn()

const isTitled = (declared: Declared): declared is readonly [string, Run | Macro, ...unknown[]] =>
  typeof declared[0] === 'string'

/** Hands a test to ava as one that waits for its turn. */
const declare = (declared: Declared, isSerial: boolean): void => {
  const [given, what, ...args] = isTitled(declared) ? declared : [undefined, ...declared]
  const { exec, title }: Macro = typeof what === 'function' ? { exec: what } : what
  ava(`${file} › ${title?.(given, ...args) ?? given}`, async t => {
    await turn.take(async () => void (await exec(t, ...args)), isSerial)
  })
}

const test = Object.assign((...declared: Declared): void => declare(declared, false), {
  serial: (...declared: Declared): void => declare(declared, true),
  skip: (title: string, run: Run): void => ava.skip(`${file} › ${title}`, async t => void (await run(t))),
  macro: ava.macro,
  after: {
    always: (...[first, second]: readonly [string, () => void] | readonly [() => void]): void =>
      typeof first === 'string'
        ? ava.after.always(`${file} › ${first}`, () => second?.())
        : ava.after.always(first)
  }
})

export default test
