// The units of systemd, as it reads and judges them.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryFolder } from '../support/process.js'

/** In ms. Without the services of a machine it may wait for an answer forever. */
const TIMEOUT = 120_000

const analyze = (...args: readonly string[]) =>
  promisify(execFile)('systemd-analyze', args, { timeout: TIMEOUT, killSignal: 'SIGKILL' })

test('systemd understands the units, and judges that they are shut in', async t => {
  if (!(await analyze('--version').catch(() => undefined))) {
    t.log('not tried: this machine has no systemd-analyze')
    t.pass()
    return
  }
  const folder = temporaryFolder(t)
  const units = ['annals.service', 'annals-etcd.service'].map(name => {
    const unit = join(folder, name)
    // It also looks whether the programs are there, which are another machine's.
    const text = readFileSync(join('deploy/systemd', name), 'utf8')
    writeFileSync(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    return unit
  })
  await t.notThrowsAsync(analyze('verify', '--man=no', '--recursive-errors=one', ...units))
  // In tenths of its scale of 10, which is the worst.
  await t.notThrowsAsync(analyze('security', '--offline=true', '--threshold=25', ...units))
})
