// The queue in which callers take turns.
import test from 'ava'
import fc from 'fast-check'
import { FairQueue } from '../../../http/history/fair-queue.js'
import { TooManyRequests } from '../../../http/wire/response.js'

const limits = { running: 2, waitingOfCaller: 3, waiting: 6 }

/** A task, as the test follows it. */
interface Followed {
  readonly caller: string
  readonly number: number
  state: 'waiting' | 'running' | 'ended' | 'refused'
  isWanted: boolean
  end: () => void
}

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Follows the tasks of a queue. */
const follow = () => {
  const queue = new FairQueue(limits)
  const tasks: Followed[] = []
  const started: Followed[] = []
  const add = (caller: string): Followed => {
    const task: Followed = { caller, number: tasks.length, state: 'waiting', isWanted: true, end: () => {} }
    tasks.push(task)
    const work = (): Promise<void> => {
      task.state = 'running'
      started.push(task)
      return new Promise(resolve => (task.end = resolve))
    }
    queue
      .run(caller, () => task.isWanted, work)
      .then(
        () => (task.state = 'ended'),
        error => {
          if (!(error instanceof TooManyRequests)) throw error
          task.state = 'refused'
        }
      )
    return task
  }
  const of = (state: Followed['state']): readonly Followed[] => tasks.filter(task => task.state === state)
  return { queue, tasks, started, add, of }
}

test('callers take turns, each in its own order, within the limits, and every task ends', async t => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd') }) },
    { weight: 2, arbitrary: fc.record({ end: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ leave: fc.nat(20) }) }
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const { queue, tasks, started, add, of } = follow()
      for (const each of steps) {
        const before = started.length
        const couldStart = of('waiting').map(({ caller }) => caller)
        if ('add' in each) add(each.add)
        else if ('end' in each) of('running')[each.end]?.end()
        else if (tasks[each.leave]) Object.assign(tasks[each.leave] ?? {}, { isWanted: false })
        await settle()
        const waiting = of('waiting')
        if (of('running').length > limits.running || waiting.length > limits.waiting) return false
        if (queue.size !== waiting.length) return false
        for (const { caller } of waiting)
          if (waiting.filter(task => task.caller === caller).length > limits.waitingOfCaller) return false
        const [next] = started.slice(before)
        // A caller starts again after all callers who have waited since its last start.
        if (!next || !couldStart.includes(next.caller)) continue
        const last = started.slice(0, before).findLast(({ caller }) => caller === next.caller)
        if (!last) continue
        const since = started.slice(started.indexOf(last), before).map(({ caller }) => caller)
        const passed = waiting.filter(({ caller, number }) => number < last.number && !since.includes(caller))
        if (passed.length > 0) return false
      }
      while (of('running').length > 0) {
        for (const task of of('running')) task.end()
        await settle()
      }
      for (const caller of ['a', 'b', 'c', 'd']) {
        const numbers = started.filter(task => task.caller === caller).map(({ number }) => number)
        if (numbers.some((number, i) => i > 0 && number < (numbers[i - 1] ?? 0))) return false
      }
      return tasks.every(({ state }) => state === 'ended' || state === 'refused')
    })
  )
  t.pass()
})

test('a full queue makes room for a caller that has less in it, and drops reads whose client has gone', async t => {
  const { add, of, tasks } = follow()
  for (const caller of ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b']) add(caller)
  await settle()
  t.is(of('waiting').length, limits.waiting)
  const newcomer = add('c')
  await settle()
  t.is(newcomer.state, 'waiting')
  t.deepEqual(
    of('refused').map(({ number }) => number),
    [4]
  )
  const more = add('b')
  await settle()
  t.is(more.state, 'refused')
  Object.assign(tasks[5] ?? {}, { isWanted: false })
  const again = add('b')
  await settle()
  t.is(again.state, 'waiting')
  t.is(tasks[5]?.state, 'refused')
})
