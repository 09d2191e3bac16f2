// The shared log over etcd follows the specification of the protocol.
import test from 'ava'
import { explore, type Trace } from '../cluster/protocol/quint.js'
import { replay } from '../cluster/protocol/replay.js'
import { etcdFor, logAt, urlsOf } from './support.js'

const TRACES = 10

/** True for a trace with a settlement when another server had led, which is the rarest and hardest one. */
const settlesLate = (trace: Trace): boolean =>
  trace.some(({ actionTaken, nondetPicks }, at) => {
    const before = trace[at - 1]
    const [pending] = before?.servers[nondetPicks.s ?? '']?.pending ?? []
    return actionTaken === 'settle' && !!pending && (before?.etcd.terms ?? 0) > pending.epoch
  })

test(`the shared log over etcd follows ${TRACES} traces with late settlements`, async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const { traces } = await explore(t, { traces: 300, steps: 80, kept: 300 })
  const late = traces.filter(settlesLate).slice(0, TRACES)
  t.is(late.length, TRACES, `of ${traces.length} traces`)
  for (const [number, trace] of late.entries())
    await replay(() => logAt(t, urlsOf(etcd), { prefix: `/trace-${number}` }), trace)
})
