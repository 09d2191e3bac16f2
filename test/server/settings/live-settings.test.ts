import { rereadSettings } from '../../../server/settings/reload.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { loadSettings } from '../../../server/settings/load.js'
import { SettingsError, LiveSettings } from '../../../server/settings/settings.js'
import { temporaryFolder } from '../../support/process.js'

const begin = (t: ExecutionContext, content: object) => {
  const file = join(temporaryFolder(t), 'config.json')
  const write = (next: object): void => writeFileSync(file, JSON.stringify(next))
  write(content)
  return { write, live: new LiveSettings(() => loadSettings({ file, env: {}, flags: {} })) }
}

test('another reading takes what can change while the server runs, and names what needs a restart', t => {
  const { live, write } = begin(t, {
    domain: 'one',
    limits: { txn_max_ops: 10 },
    acl: { tokens: { default: 'a' } }
  })
  write({ domain: 'two', limits: { txn_max_ops: 20 }, recursors: ['192.0.2.1'], ports: { http: 1 } })
  const { settings, changed, needRestart } = rereadSettings(live)
  t.deepEqual(changed.toSorted(), ['acl.tokens.default', 'limits.txn_max_ops', 'recursors'])
  t.deepEqual(needRestart.toSorted(), ['domain', 'ports.http'])
  t.is(settings.domain, 'one')
  t.is(settings.ports.http, 8500)
  t.is(settings.limits.txn_max_ops, 20)
  t.is(settings.acl.tokens.default, undefined)
  t.deepEqual(settings.recursors, ['192.0.2.1'])
})

test('a reading changes nothing before it is used', t => {
  const { live, write } = begin(t, {})
  write({ log: { level: 'debug' } })
  const { settings } = rereadSettings(live)
  t.is(live.current.log.level, 'info')
  live.use(settings)
  t.is(live.current.log.level, 'debug')
  t.deepEqual(rereadSettings(live), { settings, changed: [], needRestart: [] })
})

test('a reading of sources that cannot be used is refused', t => {
  const { live, write } = begin(t, {})
  write({ log: { level: 'loud' } })
  t.throws(() => rereadSettings(live), { instanceOf: SettingsError, message: /log\.level/ })
})
