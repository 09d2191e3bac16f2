// The calls of the npm package `consul`, a client that was written for another server.
import Consul from 'consul'
import type { ExecutionContext } from 'ava'
import { until } from './wait.js'

/** By title: the calls of a client to a server of its own. */
export const consulPlays: Readonly<Record<string, (t: ExecutionContext, consul: Consul) => Promise<void>>> = {
  'keys: set, get, list, check-and-set, delete': async (t, consul) => {
    t.true(await consul.kv.set('app/a', 'one'))
    t.true(await consul.kv.set({ key: 'app/b', value: 'two', flags: 7 }))
    const entry = await consul.kv.get('app/b')
    t.like(entry, { Key: 'app/b', Value: 'two', Flags: 7 })
    t.falsy(await consul.kv.set({ key: 'app/a', value: 'x', cas: 1 }))
    t.deepEqual(await consul.kv.keys('app/'), ['app/a', 'app/b'])
    t.true(await consul.kv.del({ key: 'app/', recurse: true }))
    t.falsy(await consul.kv.get('app/a'))
  },

  'sessions: a lock is taken, refused to another, and released': async (t, consul) => {
    const { ID } = await consul.session.create({ name: 'holder', ttl: '15s' })
    const other = await consul.session.create({ name: 'other' })
    t.true(await consul.kv.set({ key: 'lock', value: 'a', acquire: ID }))
    t.falsy(await consul.kv.set({ key: 'lock', value: 'b', acquire: other.ID }))
    t.like(await consul.session.get(ID), { Name: 'holder', TTL: '15s' })
    t.is((await consul.session.list()).length, 2)
    t.like(await consul.session.renew(ID), [{ ID }])
    t.true(await consul.kv.set({ key: 'lock', value: 'a', release: ID }))
    await consul.session.destroy(ID)
    t.is((await consul.session.list()).length, 1)
  },

  'catalog and health: a service is registered with the agent and found': async (t, consul) => {
    await consul.agent.service.register({
      name: 'web',
      id: 'web-1',
      port: 8080,
      tags: ['v1'],
      check: { name: 'alive', ttl: '30s', timeout: '' }
    })
    t.true((await consul.catalog.node.list()).length > 0)
    t.deepEqual((await consul.catalog.service.list())['web'], ['v1'])
    const [found] = await consul.catalog.service.nodes('web')
    t.like(found, { ServiceID: 'web-1', ServicePort: 8080 })
    t.deepEqual(await consul.health.service({ service: 'web', passing: true }), [])
    await consul.agent.check.pass('service:web-1')
    const healthy = await consul.health.service({ service: 'web', passing: true })
    t.is(healthy.length, 1)
    await consul.agent.service.deregister('web-1')
    t.deepEqual(await consul.catalog.service.nodes('web'), [])
  },

  'transactions: applied whole or not at all': async (t, consul) => {
    const value = Buffer.from('v').toString('base64')
    const set = (Key: string) => ({ KV: { Verb: 'set', Key, Value: value } })
    const applied = await transact(consul, [set('t/a'), set('t/b')])
    t.is(applied.Results?.length, 2)
    await t.throwsAsync(transact(consul, [set('t/c'), { KV: { Verb: 'check-not-exists', Key: 't/a' } }]))
    t.deepEqual(await consul.kv.keys('t/'), ['t/a', 't/b'])
  },

  'a watch tells each change of a key': async (t, consul) => {
    const seen: unknown[] = []
    const watch = consul.watch({
      method: (options: { readonly key: string }) => consul.kv.get(options),
      options: { key: 'watched' }
    })
    watch.on('change', (entry: { readonly Value?: string } | undefined) => seen.push(entry?.Value))
    watch.on('error', error => t.fail(String(error)))
    await consul.kv.set('watched', 'one')
    await until('the first value', () => seen.includes('one'))
    await consul.kv.set('watched', 'two')
    await until('the second value', () => seen.includes('two'))
    watch.end()
    t.true(seen.indexOf('one') < seen.indexOf('two'))
  }
}

/** The package's types have operations in lower case, unlike its own README and the server. */
type Operations = Parameters<typeof Consul.Transaction.prototype.create>[0]
const isOperations = (value: unknown): value is Operations => Array.isArray(value)

const transact = (consul: Consul, list: readonly object[]) => {
  if (!isOperations(list)) throw new Error('a list of operations is needed')
  return consul.transaction.create(list, { operations: list })
}
