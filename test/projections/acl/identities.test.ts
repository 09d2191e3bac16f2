// What service and node identities allow, and where.
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { compileAuthorizer, type Access, type Resource } from '../../../projections/acl/authorizer.js'
import { nodeIdentityRules, serviceIdentityRules } from '../../../projections/acl/collect-rules.js'
import { parseRules } from '../../../projections/acl/rules/parse.js'
import type { RuleSet } from '../../../projections/acl/rules/model.js'

const may = (
  sets: readonly RuleSet[],
  resource: Resource,
  access: Access,
  segment: string,
  namespace = 'default'
) =>
  compileAuthorizer(
    sets.map(rules => ({ rules, tenancy: DEFAULT_TENANCY })),
    'deny'
  ).may(resource, access, segment, { partition: 'default', namespace })

test('a service identity writes its service and its proxy, and reads all services and nodes', t => {
  const web = serviceIdentityRules([{ ServiceName: 'web' }], 'dc1')
  t.true(may(web, 'service', 'write', 'web'))
  t.true(may(web, 'service', 'write', 'web-sidecar-proxy'))
  t.true(may(web, 'service', 'read', 'db'))
  t.false(may(web, 'service', 'write', 'db'))
  t.true(may(web, 'node', 'read', 'n1'))
  t.true(may(web, 'intention', 'read', 'web'))
  t.false(may(web, 'intention', 'write', 'web'))
  t.false(may(web, 'key', 'read', 'web'))
  t.false(may(web, 'service', 'read', 'db', 'team'))
})

const validIn = (...Datacenters: readonly string[]) =>
  serviceIdentityRules([{ ServiceName: 'web', Datacenters }], 'dc1').length

test('a service identity is valid in its datacenters, or in all without any', t => {
  t.is(serviceIdentityRules([{ ServiceName: 'web' }], 'dc1').length, 1)
  t.is(validIn(), 1)
  t.is(validIn('dc2', 'dc1'), 1)
  t.is(validIn('dc2', 'DC1'), 0)
})

test('a node identity writes its node in its datacenter, and reads services in every namespace', t => {
  const node = nodeIdentityRules([{ NodeName: 'n1', Datacenter: 'dc1' }], 'dc1')
  t.true(may(node, 'node', 'write', 'n1'))
  t.false(may(node, 'node', 'read', 'n2'))
  t.true(may(node, 'service', 'read', 'web'))
  t.true(may(node, 'service', 'read', 'web', 'team'))
  t.false(may(node, 'service', 'write', 'web'))
  t.is(nodeIdentityRules([{ NodeName: 'n1', Datacenter: 'dc1' }], 'dc2').length, 0)
})

test('identities merge with policies: a denial of the same label wins', t => {
  const web = serviceIdentityRules([{ ServiceName: 'web' }], 'dc1')
  t.false(may([...web, parseRules('service "web" { policy = "deny" }')], 'service', 'read', 'web'))
  t.true(may([...web, parseRules('service_prefix "" { policy = "write" }')], 'service', 'write', 'db'))
})
