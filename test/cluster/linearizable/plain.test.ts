// The clients and the checker against a server alone, and a planted violation.
import test from 'ava'
import { seeded } from '../../support/random.js'
import { serverInProcess } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { startClients, violations } from './keys-clients.js'
import type { Act } from './keys-model.js'
import type { Operation } from './checker.js'

/** The history with one read answered as if the newest write before it had not been: what a default read of an old copy is. */
const planted = (operations: readonly Operation<Act>[]): readonly Operation<Act>[] => {
  const write = operations.findIndex(({ what }) => what.kind === 'set')
  const { what, answered } = operations[write] ?? {}
  if (what?.kind !== 'set' || answered === undefined) return []
  const read: Operation<Act> = {
    asked: answered + 0.001,
    answered: answered + 0.002,
    what: { kind: 'read', key: what.key, found: undefined }
  }
  return [...operations, read]
}

const KINDS = ['cas true', 'cas false', 'acquire true', 'acquire false', 'release true', 'transaction true']

test('16 clients of a server alone see an order', async t => {
  const server = await serverInProcess(t)
  const random = seeded(20)
  const clients = await startClients({
    bases: () => [server.base],
    clients: 16,
    random,
    operationsPerGroup: 200
  })
  await until('every kind of write was done', () => KINDS.every(kind => (clients.counts.get(kind) ?? 0) > 0))
  await clients.stop()
  t.deepEqual(violations(clients.groups), [])
})

test('a stale answer among those of three clients is found', async t => {
  const server = await serverInProcess(t)
  const random = seeded(21)
  const clients = await startClients({
    bases: () => [server.base],
    clients: 3,
    random,
    operationsPerGroup: 60
  })
  await until('four groups of operations', () => clients.groups.length > 4)
  await clients.stop()
  const groups = clients.groups.slice(0, 4)
  t.deepEqual(violations(groups), [])
  t.is(violations(groups.map(planted)).length, 4)
})
