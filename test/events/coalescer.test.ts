// Questions that callers share, when each was put after the call.
import test from 'ava'
import { Coalescer, derivedOnce } from '../../events/coalescer.js'

interface Put {
  readonly answer: (text: string) => void
  readonly fail: (error: Error) => void
}

const asked = (soon?: (begin: () => void) => void) => {
  const puts: Put[] = []
  const put = (): Promise<string> => new Promise((answer, fail) => puts.push({ answer, fail }))
  const coalescer = new Coalescer(put, soon)
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

test('a question that is put soon is that of all callers until then', async t => {
  const begins: (() => void)[] = []
  const { puts, coalescer } = asked(begin => begins.push(begin))
  const before = [coalescer.ask(), coalescer.ask()]
  t.is(puts.length, 0)
  begins.shift()?.()
  t.is(puts.length, 1)
  const during = coalescer.ask()
  puts[0]?.answer('first')
  t.deepEqual(await Promise.all(before), ['first', 'first'])
  const after = coalescer.ask()
  t.deepEqual([puts.length, begins.length], [1, 1])
  begins.shift()?.()
  puts[1]?.answer('second')
  t.deepEqual(await Promise.all([during, after]), ['second', 'second'])
})

test('what is derived from a promise is derived once for all that share it', async t => {
  let derivations = 0
  const next = derivedOnce(async (source: Promise<number>) => {
    derivations++
    return (await source) + 1
  })
  const source = Promise.resolve(1)
  t.deepEqual(await Promise.all([next(source), next(source), next(Promise.resolve(4))]), [2, 2, 5])
  t.is(derivations, 2)
})
