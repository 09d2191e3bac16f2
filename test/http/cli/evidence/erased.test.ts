// Proofs hold after something was erased: the log has the hash of what is gone.
import test from 'ava'
import { annals } from '../../../support/command-line.js'
import { auditedServer } from './support.js'

test('what was erased is not in evidence, and everything is proved all the same', async t => {
  const { server, log, vkey, kept, keptSize } = await auditedServer(t)
  const index = keptSize - 1
  const before = await log('export', '--evidence', '--from', String(index), '--to', String(index))
  t.regex(before.output, /round 0/)
  t.is(await server.app.log.erase([{ index, who: true, events: [0] }]), 2)
  const { output, code, errors } = await log('export', '--evidence')
  t.is(code, 0, errors)
  const line = output.split('\n')[index]
  t.deepEqual(
    JSON.parse(line ?? '').Parts.map(({ Kind, Erased }: { Kind: string; Erased?: true }) => [Kind, Erased]),
    [
      ['Who', true],
      ['Head', undefined],
      ['Payload', true]
    ]
  )
  const checked = await annals(['evidence', 'verify', '-', '--key', vkey, '--checkpoint', kept], {}, output)
  t.is(checked.code, 0, checked.errors)
  t.regex(checked.output, /^2 parts were erased, \d+ parts are kept back: of these the log has the hash$/m)
  const verified = await log('verify', '--key', vkey, '--checkpoint', kept)
  t.is(verified.code, 0, verified.errors)
  t.regex(verified.output, /^2 parts are erased: their hashes stand/m)
})
