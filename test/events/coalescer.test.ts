// Questions that callers share, when each was put after the call.
import test from 'ava'
import { Coalescer } from '../../events/coalescer.js'

interface Put {
  readonly answer: (text: string) => void
  readonly fail: (error: Error) => void
}

const asked = () => {
  const puts: Put[] = []
  const coalescer = new Coalescer(() => new Promise<string>((answer, fail) => puts.push({ answer, fail })))
  return { puts, coalescer }
}

test('callers during a question share the next one, since theirs may concern what came after it', async t => {
  const { puts, coalescer } = asked()
  const first = coalescer.ask()
  const [second, third] = [coalescer.ask(), coalescer.ask()]
  t.is(puts.length, 1)
  puts[0]?.answer('before')
  t.is(await first, 'before')
  await Promise.resolve()
  t.is(puts.length, 2)
  puts[1]?.answer('after')
  t.deepEqual(await Promise.all([second, third]), ['after', 'after'])
  t.is(puts.length, 2)
})

test('the failure of a question is that of its callers only', async t => {
  const { puts, coalescer } = asked()
  const first = coalescer.ask()
  const second = coalescer.ask()
  puts[0]?.fail(new Error('no answer'))
  await t.throwsAsync(first, { message: 'no answer' })
  await Promise.resolve()
  puts[1]?.answer('after')
  t.is(await second, 'after')
  const third = coalescer.ask()
  t.is(puts.length, 3)
  puts[2]?.answer('later')
  t.is(await third, 'later')
})
