// The cost of a transaction without disk and network: its decision, applying its events, and the append to a log in memory.
import 'reflect-metadata'
import { Committer } from '../../dist/actors/committer.js'
import { decideTransaction, operationOf } from '../../dist/actors/transaction/transaction.js'
import { MemoryEventLog } from '../../dist/events/log/memory.js'
import { Views } from '../../dist/projections/read-models.js'
import { median } from '../statistics.mjs'

const KEYS = 10_000
const NODES = 200
const ROUNDS = 15
/** Operations of a round, for any size of transaction. */
const OPERATIONS = 12_800
const AT = Date.UTC(2026, 0, 1)
const tenancy = { partition: 'default', namespace: 'default' }
const caller = { accessor: '', address: '', requestId: '' }
const settings = { datacenter: 'dc1', aclEnabled: true, defaultPolicy: 'deny', tokenLife: { min: 0, max: 0 } }
const rights = { may: () => true, denial: () => '' }

const keyName = i => `config/app-${i % 100}/key-${i % KEYS}`
const kv = (verb, i) => ({
  kind: 'KV',
  input: {
    verb,
    key: keyName(i),
    value: Buffer.from(String(i)).toString('base64'),
    flags: '0',
    index: 0n,
    session: '',
    tenancy
  }
})

const nodeName = i => `node-${i % NODES}`
const nodeOf = i => ({
  ID: '',
  Node: nodeName(i),
  Address: `10.0.0.${i % 250}`,
  Datacenter: '',
  TaggedAddresses: null,
  Meta: { round: String(i) }
})
const node = i => ({
  kind: 'Node',
  input: { verb: 'set', partition: 'default', index: 0n, input: nodeOf(i) }
})
const serviceOf = i => ({
  Kind: '',
  ID: 'web',
  Service: 'web',
  Tags: ['a'],
  Address: '',
  TaggedAddresses: null,
  Meta: { round: String(i) },
  Port: 80,
  SocketPath: '',
  Weights: { Passing: 1, Warning: 1 },
  EnableTagOverride: false,
  Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
  Connect: {}
})
const service = (verb, i) => ({
  kind: 'Service',
  input: { verb, tenancy, node: nodeName(i), input: serviceOf(i), id: 'web', index: 0n }
})
const check = i => ({
  kind: 'Check',
  input: {
    verb: 'set',
    tenancy,
    id: 'alive',
    index: 0n,
    input: {
      Node: nodeName(i),
      CheckID: 'alive',
      Name: 'alive',
      Status: i % 2 ? 'passing' : 'warning',
      Notes: '',
      Output: String(i),
      ServiceID: 'web',
      ServiceName: '',
      ServiceTags: null,
      Type: '',
      Interval: '',
      Timeout: '',
      ExposedPort: 0,
      Definition: {}
    }
  }
})

/** Every second operation sets a key, and the next one reads it. */
const kvOperation = i => kv(i % 2 ? 'get' : 'set', i - (i % 2))
/** Node, service and check in turn, and a read of the service. */
const catalogOperation = i =>
  [node, at => service('set', at), check, at => service('get', at)][i % 4](Math.floor(i / 4))

const cases = [
  { title: '2 KV operations', size: 2, operation: kvOperation },
  { title: '16 KV operations', size: 16, operation: kvOperation },
  { title: '64 KV operations', size: 64, operation: kvOperation },
  { title: '64 catalog operations', size: 64, operation: catalogOperation }
]

/** Creates a server's state with keys and nodes, which transactions change. */
class World {
  #views = new Views(settings)
  #committer = new Committer(new MemoryEventLog(), this.#views)

  constructor() {
    for (let i = 0; i < KEYS; i++) this.apply([kv('set', i)])
    for (let i = 0; i < NODES; i++) this.apply([node(i), service('set', i), check(i)])
  }

  decide(operations) {
    const data = { operations: operations.map(operationOf), rights }
    const command = { name: 'ApplyTransaction', tenancy, data, caller, at: AT }
    return decideTransaction(command, this.#views, this.#views.index + 1).events
  }

  apply(operations) {
    const Events = this.decide(operations)
    const By = { AccessorID: '', Address: '', RequestID: '', Command: 'ApplyTransaction' }
    this.#committer.commit({ Index: this.#views.index + 1, Time: '2026-01-01T00:00:00Z', By, Events }, false)
  }

  settled() {
    return this.#committer.settled()
  }
}

/** Returns the CPU time in ns per operation, for deciding a transaction, and for deciding and applying it. */
function round(world, { size, operation }, number) {
  const transactions = Array.from({ length: Math.ceil(OPERATIONS / size) }, (_, i) =>
    Array.from({ length: size }, (__, j) => operation(number * OPERATIONS + i * size + j))
  )
  const timed = act => {
    const started = process.cpuUsage()
    for (const operations of transactions) act(operations)
    const { user, system } = process.cpuUsage(started)
    return ((user + system) * 1000) / OPERATIONS
  }
  return { decided: timed(one => world.decide(one)), applied: timed(one => world.apply(one)) }
}

async function* measure() {
  for (const one of cases) {
    const world = new World()
    const rounds = []
    for (let i = 0; i < ROUNDS; i++) {
      rounds.push(round(world, one, i))
      await world.settled()
    }
    const figure = name => {
      const times = rounds.map(figures => figures[name])
      return `${Math.round(median(times))} ns (quickest round ${Math.round(Math.min(...times))})`
    }
    yield `txn-cost         ${one.title}, for each: decided in ${figure('decided')}, decided and applied in ${figure('applied')}`
  }
}

export const scenario = { name: 'txn-cost', measure }
