// When catching up rests, and for whom.
import test from 'ava'
import { CpuShare, WriteActivity } from '../../../../http/stream/catch-up/cpu-share.js'

/** Whether a share may go on without a timer: what waits for none comes before an immediate. */
const goesOn = async (share: CpuShare): Promise<boolean> => {
  let isRested = false
  void share.rested().then(() => (isRested = true))
  await new Promise(setImmediate)
  return isRested
}

/** Works for some ms, so that a small share owes a long rest. */
const spin = (): void => {
  const end = performance.now() + 5
  while (performance.now() < end);
}

test('work is followed by rest while somebody writes, and by none while nobody does', async t => {
  let isContended = true
  const share = new CpuShare(0.000_01, () => isContended)
  share.work(spin)
  t.false(await goesOn(share))
  isContended = false
  share.work(spin)
  t.true(await goesOn(share))
})

test('where all that a thread does is counted, so is what it does between two slices', async t => {
  let busy = 0
  const share = new CpuShare(
    0.000_01,
    () => true,
    () => busy
  )
  share.work(() => {})
  t.true(await goesOn(share))
  busy = 5
  share.work(() => {})
  t.false(await goesOn(share))
})

test('writers are active for 100 ms after a commit, also as another thread sees it', t => {
  let now = 0
  const told = new WriteActivity()
  const seen = new WriteActivity(told.memory, () => now)
  t.false(seen.areActive)
  told.note()
  t.true(seen.areActive)
  now = 99
  t.true(seen.areActive)
  now = 100
  t.false(seen.areActive)
  told.note()
  t.true(seen.areActive)
})
