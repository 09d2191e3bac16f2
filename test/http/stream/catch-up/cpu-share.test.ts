// The rests of catch-up.
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { CpuShare, WriteActivity } from '../../../../http/stream/catch-up/cpu-share.js'

/** Returns true if a share proceeds without a timer, which would fire after an immediate. */
const proceeds = async (share: CpuShare): Promise<boolean> => {
  let isRested = false
  void share.rested().then(() => (isRested = true))
  await new Promise(setImmediate)
  return isRested
}

/** Works for some ms, so that a small share requires a long rest. */
const spin = (): void => {
  const end = performance.now() + 5
  while (performance.now() < end);
}

test('work is followed by rest during writes, and by none without writes', async t => {
  let isContended = true
  const share = new CpuShare(0.000_01, () => isContended)
  share.work(spin)
  t.false(await proceeds(share))
  isContended = false
  share.work(spin)
  t.true(await proceeds(share))
})

test('a thread that waits in its work, as on a busy machine, does not rest for the wait', async t => {
  const share = new CpuShare(0.5)
  share.work(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400))
  // Timers fire in their order, however late.
  t.is(await Promise.race([share.rested().then(() => 'rested'), pause(300, 'waits')]), 'rested')
})

test('where all that a thread does is counted, so is what it does between two slices', async t => {
  let busy = 0
  const share = new CpuShare(
    0.000_01,
    () => true,
    () => busy
  )
  share.work(() => {})
  t.true(await proceeds(share))
  busy = 5
  share.work(() => {})
  t.false(await proceeds(share))
})

test('writers are active for 100 ms after a commit, also as another thread sees it', t => {
  let now = 0
  const writer = new WriteActivity()
  const seen = new WriteActivity(writer.memory, () => now)
  t.false(seen.areActive)
  writer.note()
  t.true(seen.areActive)
  now = 99
  t.true(seen.areActive)
  now = 100
  t.false(seen.areActive)
  writer.note()
  t.true(seen.areActive)
})
