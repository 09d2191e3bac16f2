import test from 'ava'
import { automaticWorkers } from '../../../server/settings/worker-count.js'
import { loadSettings } from '../../../server/settings/load.js'
import { SettingsError } from '../../../server/settings/settings.js'

const workersFor = (text: string): number => loadSettings({ env: {}, flags: { workers: text } }).workers

test('automatic workers leave one core to the main process, are at most 8, and need a port that processes can share', t => {
  const counts = [1, 2, 3, 9, 10, 128].map(cores => automaticWorkers(cores, true))
  t.deepEqual(counts, [0, 1, 2, 8, 8, 8])
  t.is(automaticWorkers(4, false), 0)
})

test('workers are a number or "auto", by flag, environment and file', t => {
  t.is(workersFor('auto'), automaticWorkers())
  t.is(loadSettings({ env: { ANNALS_WORKERS: 'auto' }, flags: {} }).workers, automaticWorkers())
  t.is(workersFor('0'), 0)
  for (const text of ['65', '-1', '1.5', 'all', 'Auto', 'auto '])
    t.throws(() => workersFor(text), {
      instanceOf: SettingsError,
      message: /^workers, given by flag --workers, must be a whole number from 0 to 64, or "auto"; it is /
    })
})
