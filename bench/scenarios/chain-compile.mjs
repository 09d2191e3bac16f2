// The compilation of a chain over 50 services: a router to 25 splitters, each between two services with resolvers.
import { compileChain } from '../../dist/projections/chain/compile.js'
import { ConfigEntries } from '../../dist/projections/config/entries.js'
import { Watch } from '../../dist/projections/watch.js'
import { median, targetText } from '../statistics.mjs'

const SPLITTERS = 25
const MOST_MS = 1
const ROUNDS = 200
const stored = { CreateIndex: 1, ModifyIndex: 1 }
const tenancy = { partition: 'default', namespace: 'default' }

const services = Array.from({ length: SPLITTERS }, (_, i) => [`left-${i}`, `right-${i}`]).flat()
const defaults = name => ({
  Kind: 'service-defaults',
  Name: name,
  Protocol: 'http',
  MeshGateway: {},
  ...stored
})
const resolver = name => ({
  Kind: 'service-resolver',
  Name: name,
  DefaultSubset: 'v1',
  Subsets: { v1: { Filter: 'Service.Meta.version == v1' } },
  Failover: { '*': { Datacenters: ['dc2'] } },
  ...stored
})
const splitter = i => ({
  Kind: 'service-splitter',
  Name: `left-${i}`,
  Splits: [{ Weight: 50 }, { Weight: 50, Service: `right-${i}` }],
  ...stored
})
const route = i => ({
  Match: { HTTP: { PathPrefix: `/${i}` } },
  Destination: { Service: `left-${i}` }
})
const indexes = Array.from({ length: SPLITTERS }, (_, i) => i)
const entries = [
  ...services.flatMap(name => [defaults(name), resolver(name)]),
  ...indexes.map(splitter),
  { Kind: 'service-router', Name: 'left-0', Routes: indexes.map(route), ...stored }
]

async function* measure() {
  const model = new ConfigEntries(new Watch())
  entries.forEach((entry, i) => {
    const Payload = { ConfigEntry: entry }
    const event = {
      Topic: 'ConfigEntry',
      Type: 'ConfigEntryUpserted',
      Partition: 'default',
      Namespace: 'default',
      Payload
    }
    model.apply(event, { Index: i + 1, By: { Command: 'SetConfigEntry' } })
  })
  const question = { service: 'left-0', tenancy, datacenter: 'dc1', homeDatacenter: 'dc1', clusterId: 'c' }
  const times = []
  let chain
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now()
    chain = compileChain(question, model).chain
    times.push(performance.now() - started)
  }
  const size = Object.keys(chain.Nodes).length
  const time = median(times)
  yield (
    `chain-compile    ${services.length} services, ${size} nodes, ${Object.keys(chain.Targets).length} targets: ` +
    `${time.toFixed(3)} ms, the first ${times[0].toFixed(1)} ms${targetText(time, MOST_MS, false)}`
  )
}

export const scenario = { name: 'chain-compile', measure }
