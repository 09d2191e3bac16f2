// Reads of earlier indexes, while others ask for more of them than can be read.
import test, { type ExecutionContext } from 'ava'
import { HistoricalStateReader } from '../../../http/history/historical-state-reader.js'
import type { RecordRange } from '../../../events/log/log.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import type { StoredRecord } from '../../../events/log/record.js'
import { NODE_TOPIC } from '../../../events/node.js'
import type { TestResponse } from '../../support/client.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { secretWith } from '../support.js'
import { call } from '../tenancy/support.js'

const RUNNING = 2
const WAITING_OF_CALLER = 32
const NODES = '/v1/catalog/nodes?at='

/** A log in which each read of nodes waits until the test releases it. */
class GatedReads extends MemoryEventLog {
  readonly waiting: (() => void)[] = []

  override async *records(from: number, range?: RecordRange): AsyncGenerator<readonly StoredRecord[]> {
    if (range?.topics?.includes(NODE_TOPIC)) await new Promise<void>(go => this.waiting.push(go))
    yield* super.records(from, range)
  }
}

const start = async (t: ExecutionContext) => {
  const log = new GatedReads()
  const server = await serverInProcess(t, { log, config: { http: { trusted_proxies: ['127.0.0.1'] } } })
  await call(server, 'PUT', '/v1/catalog/register', { Node: 'n', Address: '10.0.0.1' })
  t.teardown(() => {
    const release = setInterval(() => log.waiting.splice(0).forEach(go => go()), 1)
    release.unref()
  })
  return { log, server, at: `${NODES}${server.app.views.index}` }
}

/** Lets the anonymous token read nodes. */
const openNodes = async (server: TestServer): Promise<void> => {
  const Rules = 'node_prefix "" { policy = "read" }'
  const { ID } = await call(server, 'PUT', '/v1/acl/policy', { Name: 'nodes', Rules })
  await call(server, 'PUT', '/v1/acl/token/00000000-0000-0000-0000-000000000002', { Policies: [{ ID }] })
}

test('a caller who can read nothing of a kind is answered at once, without the log', async t => {
  const { log, server, at } = await start(t)
  const keys = await secretWith(server, 'keys', 'key_prefix "" { policy = "write" } acl = "read"')
  for (const token of [undefined, keys])
    for (const path of [
      at,
      at.replace('nodes', 'services'),
      at.replace('catalog/nodes', 'health/state/any'),
      `${at}&ns=*`
    ]) {
      const { status, text } = await server.send('GET', path, { token })
      t.is(status, 200, text)
      t.true(['[]', '{}'].includes(text), text)
    }
  t.is(log.waiting.length, 0)
})

test('an operator is served in turn, however many anonymous reads wait, and further ones are 429 with Retry-After', async t => {
  const { log, server, at } = await start(t)
  await openNodes(server)
  const answers: TestResponse[] = []
  const anonymous = (address: string): void =>
    void server
      .send('GET', at, { token: undefined, headers: { 'X-Forwarded-For': address } })
      .then(answer => answers.push(answer))
  const refused = 6
  for (let i = 0; i < RUNNING + WAITING_OF_CALLER + refused; i++) anonymous('192.0.2.1')
  await until('the others are refused', () => answers.length === refused)
  for (const { status, text, headers } of answers) {
    t.is(status, 429, text)
    t.is(headers['retry-after'], '1')
  }
  anonymous('192.0.2.2')
  let operator: TestResponse | undefined
  void server.send('GET', at).then(answer => (operator = answer))
  const reader = server.scope.resolve(HistoricalStateReader)
  await until('all wait', () => reader.waiting === WAITING_OF_CALLER + 2)
  // Those that run, one more of each address, and its own.
  for (let released = 0; released < RUNNING + 3; released++) {
    await until('a read can continue', () => log.waiting.length > 0)
    log.waiting.shift()?.()
  }
  t.is((await until('the operator is answered', () => operator)).status, 200)
  t.true(reader.waiting >= WAITING_OF_CALLER - RUNNING - 2, `${reader.waiting}`)
})

test('a read whose client has gone makes room', async t => {
  const { log, server, at } = await start(t)
  await openNodes(server)
  const gone = Array.from({ length: RUNNING + WAITING_OF_CALLER }, () =>
    server.send('GET', at, { token: undefined, timeout: 500 }).catch((error: unknown) => String(error))
  )
  t.true((await Promise.all(gone)).every(one => typeof one === 'string'))
  let again: TestResponse | undefined
  void server.send('GET', at, { token: undefined }).then(answer => (again = answer))
  const answer = await until('it is answered', () => {
    log.waiting.splice(0).forEach(go => go())
    return again
  })
  t.is(answer.status, 200, answer.text)
})
