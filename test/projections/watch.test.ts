import assert from 'node:assert/strict'
import test from 'ava'
import fc from 'fast-check'
import { Watch } from '../../projections/watch.js'

test('a change wakes the waiters of its key once, and no others', t => {
  const watch = new Watch()
  const woken: string[] = []
  watch.wait(['a', 'b'], () => woken.push('ab'))
  watch.wait(['b'], () => woken.push('b'))
  watch.wait(['c'], () => woken.push('c'))
  watch.touch('a')
  watch.touch('a')
  t.deepEqual(woken, ['ab'])
  watch.touch('b')
  t.deepEqual(woken, ['ab', 'b'])
  t.is(watch.size, 1)
})

test('who stops waiting is not woken and leaves nothing behind', t => {
  const watch = new Watch()
  const stop = watch.wait(['a', 'b'], () => t.fail())
  stop()
  stop()
  watch.touch('a')
  t.is(watch.size, 0)
})

test('who waits again while being woken is woken by the next change', t => {
  const watch = new Watch()
  let times = 0
  const wait = (): void => {
    watch.wait(['a'], () => {
      times++
      wait()
    })
  }
  wait()
  watch.touch('a')
  watch.touch('a')
  t.is(times, 2)
  t.is(watch.size, 1)
})

test('touchAll wakes everybody', t => {
  const watch = new Watch()
  const woken: string[] = []
  for (const key of ['a', 'b', 'c']) watch.wait([key], () => woken.push(key))
  watch.touchAll()
  t.deepEqual(woken, ['a', 'b', 'c'])
  t.is(watch.size, 0)
})

test('a touch of a branch wakes those who wait for the name or a prefix of it', t => {
  const watch = new Watch()
  const branch = watch.branch('kv/a/')
  const woken: string[] = []
  for (const name of ['kv/a/', 'kv/a/x', 'kv/a/xy', 'kv/b/x']) {
    watch.wait([name], () => woken.push(name))
    watch.wait([{ prefix: name }], () => woken.push(`${name}*`))
  }
  branch.touch('x')
  t.deepEqual(woken, ['kv/a/x', 'kv/a/*', 'kv/a/x*'])
  branch.touch('x')
  t.is(woken.length, 3)
})

interface Waiting {
  readonly id: number
  readonly name: string
  readonly isPrefix: boolean
  readonly stop: () => void
}

const step = fc.record({
  kind: fc.constantFrom('wait', 'wait for a prefix', 'stop', 'touch', 'touch in a branch'),
  text: fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 })
})

test('a waiter is woken by the first change of one of its keys only', t => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const watch = new Watch()
      let waiting: Waiting[] = []
      const woken = new Set<number>()
      steps.forEach(({ kind, text }, id) => {
        woken.clear()
        let concerned: readonly Waiting[] = []
        const wait = (isPrefix: boolean): void => {
          const stop = watch.wait([isPrefix ? { prefix: text } : text], () => woken.add(id))
          waiting.push({ id, name: text, isPrefix, stop })
        }
        if (kind === 'wait') wait(false)
        else if (kind === 'wait for a prefix') wait(true)
        else if (kind === 'stop') waiting.shift()?.stop()
        else if (kind === 'touch') {
          watch.touch(text)
          concerned = waiting.filter(({ name, isPrefix }) => !isPrefix && name === text)
        } else {
          const half = text.length >> 1
          watch.branch(text.slice(0, half)).touch(text.slice(half))
          concerned = waiting.filter(({ name, isPrefix }) =>
            isPrefix ? text.startsWith(name) : name === text
          )
        }
        assert.deepEqual(woken, new Set(concerned.map(one => one.id)))
        waiting = waiting.filter(one => !concerned.includes(one))
      })
      assert.equal(watch.size, new Set(waiting.map(({ name, isPrefix }) => `${name} ${isPrefix}`)).size)
    })
  )
  t.pass()
})
