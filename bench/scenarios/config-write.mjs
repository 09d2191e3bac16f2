// The decision of a write of a configuration entry among 10,000, with the check of each affected chain, gateway and intention.
import { decideConfigEntry } from '../../dist/actors/config-entry/config-entry.js'
import { decodeEntry } from '../../dist/projections/config/kinds/all.js'
import { Views } from '../../dist/projections/read-models.js'
import { median, targetText } from '../statistics.mjs'

const SERVICES = 2_000
const MOST_MS = 1
const ROUNDS = 500
const tenancy = { partition: 'default', namespace: 'default' }
const caller = { accessor: '', address: '', requestId: '' }
const settings = { datacenter: 'dc1', aclEnabled: true, defaultPolicy: 'deny', tokenLife: { min: 0, max: 0 } }

const withSubset = (resolver, subset) => ({
  ...resolver,
  Subsets: { ...resolver.Subsets, [subset]: {} }
})

const name = i => `service-${i}`
/** Five entries for each service; the chain of each leads to two others. */
const entriesOf = i => [
  { Kind: 'service-defaults', Name: name(i), Protocol: 'http' },
  {
    Kind: 'service-resolver',
    Name: name(i),
    DefaultSubset: 'v1',
    Subsets: { v1: { Filter: 'Service.Meta.version == v1' }, v2: {} }
  },
  {
    Kind: 'service-splitter',
    Name: name(i),
    Splits: [
      { Weight: 90, ServiceSubset: 'v1' },
      { Weight: 10, ServiceSubset: 'v2' }
    ]
  },
  {
    Kind: 'service-router',
    Name: name(i),
    Routes: [1, 2].map(step => ({
      Match: { HTTP: { PathPrefix: `/${step}` } },
      Destination: { Service: name((i + step) % SERVICES) }
    }))
  },
  {
    Kind: 'service-intentions',
    Name: name(i),
    Sources: [
      { Name: name((i + 1) % SERVICES), Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' } }] }
    ]
  }
]

function write(views, body) {
  const content = decodeEntry(body).settle(tenancy)
  const data = { content, cas: undefined }
  const command = { name: 'SetConfigEntry', tenancy, data, caller, at: 0 }
  return decideConfigEntry(command, views, views.index + 1)
}

async function* measure() {
  const views = new Views(settings)
  const apply = Events =>
    views.apply({ Index: views.index + 1, Time: '', By: { Command: 'SetConfigEntry' }, Events })
  const kinds = Array.from({ length: SERVICES }, (_, i) => entriesOf(i))
  let count = 0
  for (let kind = 0; kind < 5; kind++)
    for (const entries of kinds) {
      apply(write(views, entries[kind]))
      count++
    }
  const defaults = protocol => ({ Kind: 'proxy-defaults', Config: { protocol } })
  apply(write(views, defaults('http')))
  const writes = [
    ...[0, 1, 2, 3, 4].map(kind => ({
      title: kinds[0][kind].Kind,
      bodyOf: i => kinds[(i * 7) % SERVICES][kind]
    })),
    {
      title: 'service-resolver with other subsets',
      bodyOf: i => withSubset(kinds[(i * 7) % SERVICES][1], `v${i}`)
    },
    { title: 'proxy-defaults', bodyOf: () => defaults('http') },
    { title: 'proxy-defaults with another protocol', bodyOf: i => defaults(i % 2 ? 'http' : 'grpc') }
  ]
  for (const { title, bodyOf } of writes) {
    const times = []
    for (let i = 0; i < ROUNDS; i++) {
      const body = { ...bodyOf(i), Meta: { round: String(i) } }
      const started = performance.now()
      const events = write(views, body)
      times.push(performance.now() - started)
      apply(events)
    }
    const time = median(times)
    times.sort((a, b) => a - b)
    const slow = times[Math.floor(times.length * 0.99)]
    yield (
      `config-write     ${count} entries, ${title}: ${time.toFixed(3)} ms, ` +
      `99 % under ${slow.toFixed(2)} ms${targetText(time, MOST_MS, false)}`
    )
  }
}

export const scenario = { name: 'config-write', measure }
