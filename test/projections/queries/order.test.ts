// Order, limits and failover of queries (spec: queries.md §6).
import test from 'ava'
import fc from 'fast-check'
import type { Coordinate } from '../../../events/node.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { QueryService } from '../../../events/prepared-query.js'
import { allowEverything } from '../../../projections/acl/authorizer.js'
import { runAtOnce, type Steps } from '../../../projections/steps.js'
import { Candidates, limited, nearFirst, shuffle } from '../../../projections/queries/candidates.js'
import {
  execute,
  executeLocally,
  type Execution,
  failOver,
  failoverOrder,
  type Datacenters
} from '../../../projections/queries/execute.js'
import { FoundQuery, QueryRow } from '../../../projections/queries/query-row.js'
import type { Instance } from '../../../projections/queries/instance.js'
import { queryService, storedQuery } from '../../support/queries.js'

const instance = (name: string): Instance => ({
  tenancy: DEFAULT_TENANCY,
  node: { Node: name, Address: '10.0.0.1', Datacenter: 'dc1', TaggedAddresses: null, Meta: null },
  service: {
    ID: 'web',
    Service: 'web',
    Tags: null,
    Address: '',
    Meta: null,
    Port: 1,
    Weights: { Passing: 1, Warning: 1 }
  },
  checks: [],
  json: Buffer.from('{')
})

const at = (node: string, x: number): Coordinate => ({
  Node: node,
  Segment: '',
  Coord: { Vec: [x, 0, 0, 0, 0, 0, 0, 0], Error: 1.5, Adjustment: 0, Height: 0 }
})

const namesOf = (list: readonly Instance[]): string[] => list.map(({ node }) => node.Node)

test('shuffling keeps every element, and reaches every order', t => {
  fc.assert(
    fc.property(
      fc.array(fc.integer()),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (list, numbers) => {
        const shuffled = runAtOnce(shuffle([...list], () => numbers.next().value))
        t.deepEqual(
          shuffled.toSorted((a, b) => a - b),
          list.toSorted((a, b) => a - b)
        )
      }
    )
  )
  const orders = new Set(
    Array.from({ length: 500 }, () => runAtOnce(shuffle([1, 2, 3], Math.random)).join(''))
  )
  t.is(orders.size, 6)
})

test('every order is equally likely, also of the first few alone', t => {
  const runs = 24_000
  for (const count of [4, 2, 1]) {
    const seen = new Map<string, number>()
    for (let i = 0; i < runs; i++) {
      const order = runAtOnce(shuffle([1, 2, 3, 4], Math.random, count))
        .slice(0, count)
        .join('')
      seen.set(order, (seen.get(order) ?? 0) + 1)
    }
    const orders = { 4: 24, 2: 12, 1: 4 }[count] ?? 0
    t.is(seen.size, orders)
    const expected = runs / orders
    // Seven standard deviations: chance exceeds them once in 10^11 runs.
    for (const [order, times] of seen)
      t.true(Math.abs(times - expected) < 7 * Math.sqrt(expected), `${order} came ${times} times`)
  }
})

test('the nearest come first, those without coordinates last, the source itself in front', t => {
  const places = new Map([
    ['a', at('a', 1)],
    ['b', at('b', 2)],
    ['c', at('c', 4)]
  ])
  const placesOf = (node: string) => {
    const place = places.get(node)
    return place && new Map([['', place]])
  }
  const list = ['x', 'c', 'a', 'b'].map(instance)
  t.deepEqual(namesOf(runAtOnce(nearFirst(list, { node: 'c', placesOf }))), ['c', 'b', 'a', 'x'])
  t.deepEqual(namesOf(runAtOnce(nearFirst(list, { node: 'a', placesOf }))), ['a', 'b', 'c', 'x'])
  t.deepEqual(namesOf(runAtOnce(nearFirst(list, { node: 'unknown', placesOf }))), ['x', 'c', 'a', 'b'])
  t.deepEqual(namesOf(runAtOnce(nearFirst(list, { node: 'b', placesOf: () => undefined }))), [
    'b',
    'c',
    'a',
    'x'
  ])
})

test('only among the first ten the source itself is put in front', t => {
  const list = Array.from({ length: 12 }, (_, i) => instance(`n${i}`))
  t.is(runAtOnce(nearFirst(list, { node: 'n9', placesOf: () => undefined }))[0]?.node.Node, 'n9')
  t.is(runAtOnce(nearFirst(list, { node: 'n10', placesOf: () => undefined }))[0]?.node.Node, 'n0')
})

test('a limit of zero or below is none', t => {
  t.deepEqual(
    [0, -1, 2, 9].map(limit => limited([1, 2, 3], limit).length),
    [3, 3, 2, 3]
  )
})

const service = (NearestN: number, Datacenters: readonly string[] | null): QueryService =>
  queryService({ Failover: { NearestN, Datacenters } })

const foundFor = (wanted: QueryService): FoundQuery =>
  new FoundQuery(
    new QueryRow(storedQuery('6b3cd0a1-6f3c-4a0e-8d1f-3d3d2c8f4d10', { Service: wanted }), ''),
    wanted
  )

test('the nearest are tried first, then those listed, each once and only known ones', t => {
  const nearest = ['dc3', 'dc2', 'dc4']
  t.deepEqual(failoverOrder(service(1, ['dc9', 'dc3', 'dc2', 'dc2', 'dc1']), nearest), ['dc3', 'dc2'])
  t.deepEqual(failoverOrder(service(0, ['dc2', 'dc3']), nearest), ['dc2', 'dc3'])
  t.deepEqual(failoverOrder(service(9, null), nearest), nearest)
  t.deepEqual(failoverOrder(service(0, ['DC3']), nearest), [])
})

const stepsTo = function* (instances: readonly Instance[]): Steps<readonly Instance[]> {
  yield
  return instances
}

/** Datacenters with so many instances each; undefined for one that does not answer. */
const world = (instances: Readonly<Record<string, number | undefined>>): Datacenters => ({
  nearest: () => Object.keys(instances),
  run: async name => {
    const count = instances[name]
    if (count === undefined) throw new Error('dead')
    return Array.from({ length: count }, (_, i) => instance(`${name}-${i}`))
  }
})

const run = { service: service(0, null), connect: false, limit: 0, secret: undefined }

test('each datacenter asked counts, whether it answers or not', async t => {
  const cases = [
    [{ dc3: 1, dc2: 1 }, 'dc3', 1],
    [{ dc3: undefined, dc2: 1 }, 'dc2', 2],
    [{ dc3: undefined }, undefined, 1],
    [{ dc3: 0, dc2: 0 }, 'dc2', 2],
    [{ dc3: 0, dc2: undefined }, 'dc3', 2]
  ] as const
  for (const [instances, datacenter, failovers] of cases) {
    const found = await failOver(Object.keys(instances), world(instances), run)
    t.deepEqual([found.datacenter, found.failovers], [datacenter, failovers])
  }
})

test('other datacenters are asked only when there is nothing here', async t => {
  const execution = (local: readonly Instance[]): Execution => ({
    candidates: new Candidates({
      of: () => stepsTo(local),
      connect: () => stepsTo([]),
      ingress: () => stepsTo([])
    }),
    datacenter: 'dc1',
    datacenters: world({ dc2: 2 }),
    authorizer: allowEverything,
    secret: undefined,
    random: Math.random,
    near: undefined,
    limit: 0,
    connect: false
  })
  const executed = (found: FoundQuery, local: readonly Instance[]) => {
    const chosen = execution(local)
    return execute(found, chosen, runAtOnce(executeLocally(found, chosen)).instances)
  }
  const here = await executed(foundFor(service(1, null)), [instance('n')])
  t.deepEqual([here.datacenter, here.failovers], ['dc1', 0])
  const there = await executed(foundFor(service(1, null)), [])
  t.deepEqual([there.datacenter, there.failovers, there.instances.length], ['dc2', 1, 2])
  const nowhere = await executed(foundFor(service(0, ['dc1'])), [])
  t.deepEqual([nowhere.datacenter, nowhere.failovers], ['dc1', 0])
})
