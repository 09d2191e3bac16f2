// When a worker that does not answer is given up.
import test from 'ava'
import { Heartbeat } from '../../../../server/cluster/workers/worker-process.js'

/** A heartbeat whose every wait ends when the test says so. */
const beating = () => {
  const calls: (() => void)[] = []
  const events: string[] = []
  let isListening = false
  const heartbeat = new Heartbeat({
    timers: { setTimeout: call => String(calls.push(call)), clearTimeout: () => calls.splice(0) },
    beat: () => void events.push('beat'),
    isListening: () => isListening,
    silent: () => void events.push('silent'),
    lost: () => void events.push('lost')
  })
  return {
    heartbeat,
    events,
    listen: () => void (isListening = true),
    /** Lets the time of so many beats pass. */
    pass: (beats: number) => {
      for (let i = 0; i < beats; i++) calls.shift()?.()
    }
  }
}

test('one that answers is never given up', t => {
  const { heartbeat, events, listen, pass } = beating()
  listen()
  for (let i = 0; i < 100; i++) {
    heartbeat.answered()
    pass(1)
    t.false(heartbeat.isSilent)
  }
  t.false(events.includes('lost'))
  t.false(events.includes('silent'))
})

test('one that listens is given up after twenty beats, once; one that starts after many more', t => {
  const listening = beating()
  listening.listen()
  listening.pass(19)
  t.true(listening.heartbeat.isSilent)
  t.false(listening.events.includes('lost'))
  listening.pass(5)
  t.deepEqual(
    listening.events.filter(word => word !== 'beat'),
    ['silent', 'lost']
  )
  const starting = beating()
  starting.pass(100)
  t.false(starting.events.includes('lost'))
  starting.pass(20)
  t.true(starting.events.includes('lost'))
})

test('a sign of life, however late, makes up for all that was left out', t => {
  const { heartbeat, events, listen, pass } = beating()
  listen()
  pass(19)
  heartbeat.answered()
  t.false(heartbeat.isSilent)
  pass(20)
  t.false(events.includes('lost'))
  pass(1)
  t.true(events.includes('lost'))
})

test('one that was stopped asks for nothing more', t => {
  const { heartbeat, events, pass } = beating()
  heartbeat.stop()
  pass(200)
  t.deepEqual(events, ['beat'])
})
