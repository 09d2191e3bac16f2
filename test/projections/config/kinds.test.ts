import test from 'ava'
import fc from 'fast-check'
import { CONFIG_KINDS, type ConfigContent } from '../../../events/config-entry.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { ConfigError, Faults } from '../../../events/config/fields/decoder.js'
import { isObject } from '../../../events/values.js'
import type { Json } from '../../../events/config/fields/scalars.js'
import { decodeEntry } from '../../../projections/config/kinds/all.js'
import { bodies } from './bodies.js'
import { runs } from '../../support/property-runs.js'

const team: Tenancy = { partition: 'default', namespace: 'team-1' }
const read = (body: unknown, tenancy = DEFAULT_TENANCY): ConfigContent => decodeEntry(body).settle(tenancy)
/** Field by field, without regard to the order of maps. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Maps whose keys are the caller's. */
const FREE = new Set(['Config', 'Meta', 'Subsets', 'Failover'])
const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

/** The same body with every field's name spelled by `spell`. */
const respelled = (value: unknown, spell: (name: string) => string, isFree = false): unknown => {
  if (Array.isArray(value)) return value.map(item => respelled(item, spell))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      isFree || name === 'Kind' ? name : spell(name),
      name === 'Config' ? item : respelled(item, spell, !isFree && FREE.has(name))
    ])
  )
}

test('every kind is among the bodies, and is read as it is shown', t => {
  t.deepEqual(bodies.map(body => String(body['Kind'])).toSorted(), CONFIG_KINDS)
  for (const body of bodies) t.deepEqual(plain(read(body)), body)
})

test('what is shown can be written back, in any namespace, and says the same', t => {
  for (const body of bodies)
    for (const tenancy of [DEFAULT_TENANCY, team]) {
      const once = read(body, tenancy)
      t.deepEqual(read({ ...once, CreateIndex: 7, ModifyIndex: 9 }, tenancy), once)
    }
})

test('fields are read under any letter case and in snake case', t => {
  const spellings: ((name: string) => string)[] = [
    name => name.toLowerCase(),
    name => name.toUpperCase(),
    snake,
    name => snake(name).toUpperCase()
  ]
  for (const body of bodies)
    for (const spell of spellings) t.deepEqual(read(respelled(body, spell)), read(body))
})

test('a field that no kind has is refused wherever it stands, by its path', t => {
  /** Every place of an object that is no free map, with the body that has one field more there. */
  const spoilt = (value: unknown, path: string): [string, unknown][] => {
    if (Array.isArray(value))
      return value.flatMap((item, i) =>
        spoilt(item, `${path}[${i}]`).map(([at, bad]): [string, unknown] => [at, value.with(i, bad)])
      )
    if (!isObject(value)) return []
    const here = path === '' ? 'Foo' : `${path}.Foo`
    const inside = Object.entries(value).flatMap(([name, item]) =>
      FREE.has(name)
        ? []
        : spoilt(item, path === '' ? name : `${path}.${name}`).map(([at, bad]): [string, unknown] => [
            at,
            { ...value, [name]: bad }
          ])
    )
    return [[here, { ...value, Foo: 1 }], ...inside]
  }
  for (const body of bodies)
    for (const [path, bad] of spoilt(body, ''))
      t.throws(() => read(bad), { instanceOf: ConfigError, message: `unknown field "${path}"` })
})

test('a field given twice in two spellings is refused', t => {
  t.throws(() => read({ Kind: 'service-defaults', Name: 'web', name: 'web' }), { message: /given twice/ })
  t.throws(() => read({ Kind: 'service-defaults', Name: 'x', MeshGateway: {}, mesh_gateway: {} }), {
    message: /given twice/
  })
})

test('whatever is given, an entry is read or refused with a text', t => {
  const names = bodies.flatMap(body => Object.keys(body))
  const body = fc.dictionary(fc.constantFrom(...names), fc.jsonValue())
  fc.assert(
    fc.property(fc.constantFrom(...CONFIG_KINDS), body, (kind, given) => {
      try {
        const content = read({ ...given, Kind: kind })
        t.deepEqual(read(content), content)
      } catch (error) {
        t.true(error instanceof ConfigError, String(error))
      }
    }),
    { numRuns: runs(2000) }
  )
})

test('lenient types are read as the reference reads them', t => {
  const splitter = (Splits: unknown) => read({ Kind: 'service-splitter', Name: 5, Splits })
  t.like(splitter({ Weight: '1e2' }), { Name: '5', Splits: [{ Weight: 100 }] })
  const router = (Destination: Json) =>
    plain(read({ Kind: 'service-router', Name: 'w', Routes: [{ Destination: [Destination] }] }))
  const destination = (given: Json) => {
    const { Routes }: { Routes?: { Destination: unknown }[] } = Object(router(given))
    return Routes?.[0]?.Destination
  }
  t.deepEqual(destination({ NumRetries: '0x10', RetryOnStatusCodes: 503 }), {
    NumRetries: 16,
    RetryOnStatusCodes: [503]
  })
  t.deepEqual(destination({ NumRetries: 2.9, RequestTimeout: 1.5e9, RetryOnConnectFailure: 'T' }), {
    NumRetries: 2,
    RequestTimeout: '1.5s',
    RetryOnConnectFailure: true
  })
  t.deepEqual(destination({ RequestTimeout: '-5s' }), { RequestTimeout: '-5s' })
  for (const given of [{ NumRetries: -1 }, { NumRetries: 'x' }, { RequestTimeout: '15' }, { Service: {} }])
    t.throws(() => destination(given), { instanceOf: ConfigError }, JSON.stringify(given))
})

test('keys of free maps are kept, whatever they are called', t => {
  const body: unknown = JSON.parse(
    '{"Kind":"service-resolver","Name":"web","Meta":{"__proto__":"x","constructor":"y"},"Subsets":{"v1":{}}}'
  )
  const content = read(body)
  t.deepEqual(Object.keys('Meta' in content ? Object(content.Meta) : {}), ['__proto__', 'constructor'])
  t.throws(() => read({ Kind: 'service-resolver', Name: 'web', DefaultSubset: 'constructor' }), {
    message: /not in Subsets/
  })
})

test('weights are rounded to hundredths as 32-bit floats and must make exactly 100', t => {
  const sum = (...Weights: number[]) =>
    read({
      Kind: 'service-splitter',
      Name: 'web',
      Splits: Weights.map((Weight, i) => ({ Weight, Service: `s${i}` }))
    })
  t.like(sum(33.333, 66.667), { Splits: [{ Weight: 33.33 }, { Weight: 66.67 }] })
  t.notThrows(() => sum(50.004, 50.0049))
  t.throws(() => sum(50.005, 49.995), { message: /100\.01/ })
  t.throws(() => sum(33.33, 66.66), { message: /99\.99/ })
})

test('a free value that is nested too deep is refused, not followed', t => {
  let Config: unknown = 1
  for (let i = 0; i < 20_000; i++) Config = [Config]
  t.throws(() => read({ Kind: 'proxy-defaults', Config: { a: Config } }), { message: /nested deeper/ })
})

test('a trial of the rules finds a fault for every part', t => {
  const faults = new Faults()
  decodeEntry({
    Kind: 'ingress-gateway',
    Listeners: [
      { Port: 80, Protocol: 'x', Services: [{ Name: 'a' }] },
      { Port: 80, Protocol: 'http', Services: [] }
    ]
  }).settle(DEFAULT_TENANCY, faults.check)
  t.is(faults.texts.length, 4)
})

test('outside the default namespace entries say the namespaces that they mean', t => {
  const intentions = { Kind: 'service-intentions', Name: 'web', Sources: [{ Name: 'api', Action: 'allow' }] }
  t.like(read(intentions, team), { Sources: [{ Name: 'api', Namespace: 'team-1', Precedence: 9 }] })
  t.false('Namespace' in Object(plain(read(intentions))).Sources[0])
  const everywhere = { partition: 'default', namespace: '*' }
  const from = (Name: string, Namespace: string) => ({ Name, Namespace, Action: 'deny' })
  const all = {
    Kind: 'service-intentions',
    Name: '*',
    Sources: [from('*', '*'), from('*', 'a'), from('x', 'a')]
  }
  t.deepEqual(
    Object(plain(read(all, everywhere))).Sources.map((one: Json) => one['Precedence']),
    [3, 2, 1]
  )
  t.throws(() => read({ ...all, Name: 'web' }, everywhere), { instanceOf: ConfigError })
})
