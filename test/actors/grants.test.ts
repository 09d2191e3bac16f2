import test from 'ava'
import { checkNodeIdentities, checkServiceIdentities } from '../../actors/grants.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { Refusal } from '../../actors/refusal.js'

const owner = { kind: 'token', local: false } as const
const services = (...given: readonly (readonly [name: string, ...datacenters: string[]])[]) =>
  checkServiceIdentities(
    given.map(([ServiceName, ...Datacenters]) => ({ ServiceName, Datacenters })),
    owner
  ).map(({ ServiceName, Datacenters = [] }) => [ServiceName, ...Datacenters])
const nodes = (...given: readonly (readonly [name: string, datacenter: string])[]) =>
  checkNodeIdentities(
    given.map(([NodeName, Datacenter]) => ({ NodeName, Datacenter })),
    { kind: 'role', local: false },
    DEFAULT_TENANCY
  ).map(({ NodeName, Datacenter }) => [NodeName, Datacenter])

test('service identities are sorted by name', t => {
  t.deepEqual(services(['web'], ['api', 'dc2']), [['api', 'dc2'], ['web']])
})

test('a single entry keeps its datacenters as given', t => {
  t.deepEqual(services(['web', 'b', 'a', 'b']), [['web', 'b', 'a', 'b']])
})

test('repeats of a service are merged: the union, sorted, or all where one has none', t => {
  t.deepEqual(services(['web', 'c', 'a'], ['web', 'b', 'a']), [['web', 'a', 'b', 'c']])
  t.deepEqual(services(['web', 'a'], ['web']), [['web']])
})

test('an identity for all datacenters has no list at all', t => {
  t.deepEqual(checkServiceIdentities([{ ServiceName: 'web', Datacenters: [] }], owner), [
    { ServiceName: 'web' }
  ])
})

test('node identities are sorted by node and datacenter, each once', t => {
  t.deepEqual(nodes(['b', 'dc1'], ['a', 'dc2'], ['a', 'dc1'], ['b', 'dc1']), [
    ['a', 'dc1'],
    ['a', 'dc2'],
    ['b', 'dc1']
  ])
})

test('a local token may not list datacenters of a service, but may have node identities', t => {
  const local = { kind: 'token', local: true } as const
  t.throws(() => checkServiceIdentities([{ ServiceName: 'x', Datacenters: ['dc1'] }], local), {
    instanceOf: Refusal,
    message: 'Service identity "x" cannot specify a list of datacenters on a local token'
  })
  t.deepEqual(checkServiceIdentities([{ ServiceName: 'x' }], local), [{ ServiceName: 'x' }])
})

test('node identities exist in namespace default alone', t => {
  const elsewhere = { partition: 'default', namespace: 'team' }
  t.throws(() => checkNodeIdentities([{ NodeName: 'n', Datacenter: 'dc1' }], owner, elsewhere), {
    instanceOf: Refusal,
    message: 'Node identities are allowed only on a token of namespace "default"'
  })
  t.deepEqual(checkNodeIdentities([], owner, elsewhere), [])
})

test('what is missing is named, with what holds the identity', t => {
  t.throws(() => services(['']), { message: /missing the service name field on this token/ })
  t.throws(() => nodes(['', 'dc1']), { message: /missing the node name field on this role/ })
  t.throws(() => nodes(['a', '']), { message: /missing the datacenter field on this role/ })
})

for (const name of ['A', '-a', 'a-', '_a', 'a.b', 'a b', 'ä', 'a'.repeat(257), 'a\n'])
  test(`the name ${JSON.stringify(name).slice(0, 20)} is refused for services and nodes`, t => {
    t.throws(() => services([name]), { message: /Service identity .* has an invalid name/s })
    t.throws(() => nodes([name, 'dc1']), { message: /Node identity has an invalid name/ })
  })

for (const name of ['a', '0', 'a-b_c', 'a'.repeat(256)])
  test(`the name ${name.slice(0, 20)} is accepted for services and nodes`, t => {
    t.deepEqual(services([name]), [[name]])
    t.deepEqual(nodes([name, 'anything at all']), [[name, 'anything at all']])
  })
