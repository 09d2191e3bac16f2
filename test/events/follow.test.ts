import test from 'ava'
import { follow, type FollowOptions } from '../../events/log/follow.js'

const OPTIONS: FollowOptions = {
  attempt: async () => {},
  failed: () => {},
  interval: 100,
  pause: async () => {}
}

test('each attempt begins an interval after the one before, however that ended', async t => {
  const stop = new AbortController()
  const steps: string[] = []
  const attempt = async (): Promise<void> => {
    steps.push('attempt')
    if (steps.length > 5) stop.abort()
    else if (steps.length > 3) throw new Error('broken')
  }
  const pause = async (ms: number): Promise<void> => void steps.push(`pause ${ms}`)
  await follow({ ...OPTIONS, attempt, pause }, stop.signal)
  t.deepEqual(steps, ['pause 100', 'attempt', 'pause 100', 'attempt', 'pause 100', 'attempt'])
})

test('a failure is new unless the attempt before failed alike and heard nothing since', async t => {
  const stop = new AbortController()
  const reported: string[] = []
  const attempts = ['a', 'a', 'heard a', 'b', 'a']
  const attempt = async (heard: () => void): Promise<void> => {
    const next = attempts.shift()
    if (next === undefined) return stop.abort()
    if (next.startsWith('heard')) heard()
    throw new Error(next.slice(-1))
  }
  const failed: FollowOptions['failed'] = (error, isNew) =>
    void reported.push(`${String(error)} ${isNew ? 'new' : 'again'}`)
  await follow({ ...OPTIONS, attempt, failed }, stop.signal)
  t.deepEqual(reported, ['Error: a new', 'Error: a again', 'Error: a new', 'Error: b new', 'Error: a new'])
})

test('a failure that no further attempt repairs ends the following', async t => {
  let attempts = 0
  const attempt = async (): Promise<void> => {
    attempts++
    throw new Error('another log')
  }
  const failed: FollowOptions['failed'] = error => {
    throw error
  }
  await t.throwsAsync(follow({ ...OPTIONS, attempt, failed }, new AbortController().signal), {
    message: 'another log'
  })
  t.is(attempts, 1)
})
