// The specification of the protocol: its invariants hold, each of its rules is needed for one, and the shared log in memory follows it.
import test from 'ava'
import { MemorySharedLog } from '../../../support/memory-shared-log.js'
import { SharedMemory } from '../../../support/shared-memory.js'
import { explore, SPECIFICATION } from './quint.js'
import { replay } from './replay.js'

const TRACES = Number(process.env['ANNALS_PROTOCOL_TRACES'] ?? 1000)
const STEPS = 80

test.serial(`every invariant holds in ${TRACES} random traces`, async t => {
  const { holds, output } = await explore(t, { traces: TRACES, steps: STEPS })
  t.true(holds, output)
})

/** A rule of the protocol, its text in the specification, what it would be without it. `besides`: actions that are left out, since they have no part in the violation. */
const RULES: readonly (readonly [
  rule: string,
  text: string,
  instead: string,
  besides?: readonly string[]
])[] = [
  [
    'an append of an earlier term is fenced',
    'leads(m.epoch) and etcd.log.length() == m.before',
    'etcd.log.length() == m.before'
  ],
  [
    'an append compares the length of the log',
    'leads(m.epoch) and etcd.log.length() == m.before',
    'leads(m.epoch)'
  ],
  [
    'an append is settled by the length at the end of its term',
    'if (epoch < etcd.terms) etcd.begin.get(epoch + 1) else',
    ''
  ],
  [
    'a server begins to decide while its term lasts',
    '"catching up",\n    leads(servers.get(s).epoch),',
    '"catching up",',
    ['      readSomething(s),\n', '    crash(s),\n']
  ],
  ['a leader has the whole log before it leads', 'servers.get(s).disk == etcd.log.length(),', ''],
  [
    'a read of the leader waits for what is pending',
    'servers.get(s).lease,\n    servers.get(s).pending == Set(),',
    'servers.get(s).lease,'
  ],
  [
    'a lease ends by its server’s clock before it ends in etcd',
    "not(servers.get(etcd.leader.server).lease),\n    etcd'",
    "etcd'"
  ],
  ['a read at a follower waits for the length in etcd', 'servers.get(r.server).disk >= r.needs,', ''],
  [
    'the leader tells a follower its index while its lease lasts',
    'servers.get(asked).lease,\n    servers.get(asked).role',
    'servers.get(asked).role',
    ['    ask(s),\n', '    answerAlone(s),\n', '    crash(s),\n', '    resign(s),\n']
  ],
  [
    'that index contains what is pending',
    'servers.get(asked).disk + servers.get(asked).pending.size()',
    'servers.get(asked).disk'
  ],
  [
    'commits are deleted in etcd when enough disks have them',
    'SERVERS.filter(other => servers.get(other).disk >= count).size() >= COPIES,\n    servers',
    'servers'
  ],
  [
    'a leader stores a commit on its disk when etcd has it',
    'change(s, { ...servers.get(s), pending: Set(m) }),',
    'change(s, { ...servers.get(s), pending: Set(m), disk: m.before + 1 }),'
  ],
  [
    'the outcome of an append whose leader died is unknown, not refused',
    "clients' = { ...clients, reads: clients.reads.filter(r => r.server != s) },",
    "clients' = { ...clients, refused: clients.refused.union(servers.get(s).pending.map(m => m.write)) },"
  ]
]

/** Replaces a text that the specification has once. */
function replaced(specification: string, text: string, instead: string): string {
  if (specification.split(text).length !== 2) throw new Error(`not once in the specification: ${text}`)
  return specification.replace(text, () => instead)
}

for (const [rule, text, instead, besides = []] of RULES)
  test.serial(`without the rule an invariant is violated: ${rule}`, async t => {
    const specification = besides.reduce(
      (rest, action) => replaced(rest, action, ''),
      replaced(SPECIFICATION, text, instead)
    )
    const { holds, output } = await explore(t, { traces: 10_000, steps: STEPS, specification })
    t.false(holds)
    t.regex(output, /\[violation\]/)
  })

test.serial('the shared log in memory follows 100 traces', async t => {
  const { traces } = await explore(t, { traces: 100, steps: STEPS, kept: 100 })
  t.is(traces.length, 100)
  for (const trace of traces) {
    const memory = new SharedMemory()
    await replay(() => new MemorySharedLog(memory), trace)
  }
})
