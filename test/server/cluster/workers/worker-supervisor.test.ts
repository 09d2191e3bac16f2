// The lives of a worker: which end is an error, and which was wished for.
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { WorkerSupervisor } from '../../../../server/cluster/workers/worker-supervisor.js'
import type { WorkerExit } from '../../../../server/cluster/workers/worker-process.js'

/** A life that ends when the test, or who has it replaced, says so. */
class Life {
  readonly hasListened = true
  readonly pid = 7
  readonly lastReport = undefined
  readonly ended: Promise<WorkerExit>
  #isEnded = false
  #end: (end: WorkerExit) => void = () => {}

  constructor() {
    this.ended = new Promise(resolve => (this.#end = resolve))
  }

  get state() {
    return {
      number: 1,
      pid: 7,
      state: this.#isEnded ? 'ended' : 'listening',
      since: 0,
      sign: undefined,
      behind: 0
    } as const
  }

  async report(): Promise<undefined> {}

  async end(): Promise<void> {
    this.die()
  }

  die(): void {
    this.#isEnded = true
    this.#end({ kind: 'by itself', reason: '1' })
  }
}

const keeping = () => {
  const lives: Life[] = []
  const lost: string[] = []
  const lines: string[] = []
  const waiting: (() => void)[] = []
  const kept = new WorkerSupervisor(
    () => {
      const life = new Life()
      lives.push(life)
      return life
    },
    {
      timers: { setTimeout: call => String(waiting.push(call)), clearTimeout: () => {} },
      ended: () => {},
      lost: kind => void lost.push(kind)
    },
    pino({}, { write: line => void lines.push(line) })
  )
  return { kept, lives, lost, lines, pass: () => waiting.splice(0).forEach(call => call()) }
}

test('one that is to be replaced is followed by another at once, and that is no error', async t => {
  const { kept, lives, lost, lines } = keeping()
  kept.replace()
  await setImmediate()
  t.deepEqual([lives.length, lost.length, lines.length], [2, 0, 0])
})

test('a process that dies after a replacement between two processes is reported like any other', async t => {
  const { kept, lives, lost, lines, pass } = keeping()
  lives[0]?.die()
  await setImmediate()
  t.deepEqual([lives.length, lost.length, lines.length], [1, 1, 1])
  kept.replace()
  pass()
  t.is(lives.length, 2)
  lives[1]?.die()
  await setImmediate()
  t.deepEqual([lives.length, lost.length, lines.length], [2, 2, 2])
  pass()
  t.is(lives.length, 3)
})
