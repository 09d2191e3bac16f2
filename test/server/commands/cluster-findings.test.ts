// What `annals doctor --config` finds in a cluster.
import test from 'ava'
import { SERVER_FILES } from '../../http/wire/tls/support.js'
import type { Member } from '../../../events/log/cluster/shared-log.js'
import type { ObservedMember } from '../../../events/log/etcd/administration.js'
import {
  certificates,
  clocks,
  etcdHealth,
  lag,
  reachability,
  versions
} from '../../../server/commands/cluster-findings.js'

const server = (name: string, more: Partial<Member> = {}): Member => ({
  id: `id-${name}`,
  name,
  address: 'https://10.0.0.1:8501',
  bind: '10.0.0.1',
  meta: {},
  version: '0.1.0',
  at: 0,
  flushed: 100,
  lastContact: 0,
  canLead: true,
  ...more
})

const member = (name: string, more: Partial<ObservedMember> = {}): ObservedMember => ({
  member: { ID: `1${name}`, name },
  status: { version: '3.6.0', dbSize: '1000' },
  alarms: [],
  ...more
})

test('a direction in which servers do not reach each other is named', t => {
  t.is(reachability([server('a'), server('b')], []).Result, 'ok')
  const { Result, Finding, Fix } = reachability([server('a', { unreachable: ['id-b'] }), server('b')], ['x'])
  t.is(Result, 'failed')
  t.is(Finding, 'x; a does not reach b')
  t.truthy(Fix)
})

test('a wrong clock is named', t => {
  t.is(clocks(new Map([['a', 900]]), 1000).Result, 'ok')
  t.like(
    clocks(
      new Map([
        ['a', 0],
        ['b', -5000]
      ]),
      1000
    ),
    { Result: 'failed', Finding: 'the clock of b differs by -5 s' }
  )
})

test('a server that lags, or cannot lead, is named', t => {
  t.is(lag([server('a')], 100, 1000).Result, 'ok')
  t.is(lag([server('a', { flushed: 1 })], 20_001, 1000).Finding, 'a lacks 20000 commits')
  t.is(lag([server('a', { canLead: false })], 100, 1000).Finding, 'a cannot lead')
  t.regex(
    lag([server('a', { lastContact: 2000 })], 100, 1000).Finding,
    /not heard of the cluster for 2000 ms/
  )
})

test('alarms, silent members, a full database and an even number of members are named', t => {
  const three = [member('a'), member('b'), member('c')]
  t.is(etcdHealth(three, 10_000).Result, 'ok')
  t.like(etcdHealth([member('a', { alarms: ['NOSPACE'] })], 10_000), {
    Result: 'failed',
    Finding: 'a has the alarm NOSPACE'
  })
  const { status: _, ...silent } = member('b', { fault: 'no answer' })
  t.is(etcdHealth([member('a'), silent], 10_000).Finding, 'b does not answer: no answer')
  t.like(etcdHealth(three, 1500), { Result: 'warning' })
  t.like(etcdHealth([member('a'), member('b')], 10_000), { Result: 'warning' })
})

test('versions with defects and different versions are named', t => {
  t.is(versions([server('a')], [member('a')]).Result, 'ok')
  t.regex(
    versions([server('a')], [member('a', { status: { version: '3.4.23' } })]).Finding,
    /3\.4\.23 can lose/
  )
  t.is(versions([server('a'), server('b', { version: '0.2.0' })], [member('a')]).Result, 'warning')
})

test('a certificate that ends soon, or has ended, is named', t => {
  const files = [SERVER_FILES.cert_file]
  const DAY = 86_400_000
  const { Finding } = certificates(files, 0)
  const end = Date.parse(/until (.*)$/.exec(Finding)?.[1] ?? '')
  t.is(certificates(files, end - 40 * DAY).Result, 'ok')
  t.is(certificates(files, end - 10 * DAY).Result, 'warning')
  t.is(certificates(files, end + DAY).Result, 'failed')
})
