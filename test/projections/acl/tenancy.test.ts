// Decisions across namespaces and partitions.
import test from 'ava'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { ANY_NAMESPACE, compileAuthorizer } from '../../../projections/acl/authorizer.js'
import { namespaceDefaultRules } from '../../../projections/acl/collect-rules.js'
import { parseRules } from '../../../projections/acl/rules/parse.js'

const inNamespace = (namespace: string, partition = 'default'): Tenancy => ({ partition, namespace })
const scoped = (text: string, tenancy = DEFAULT_TENANCY) => ({ rules: parseRules(text, tenancy), tenancy })
const authorizerOf = (text: string, tenancy = DEFAULT_TENANCY) =>
  compileAuthorizer([scoped(text, tenancy)], 'deny')
const TEAM = inNamespace('team-1')

test('plain rules are for the namespace that their policy lives in', t => {
  const authorizer = authorizerOf('key_prefix "" { policy = "read" }', TEAM)
  t.true(authorizer.may('key', 'read', 'a', TEAM))
  t.false(authorizer.may('key', 'read', 'a', DEFAULT_TENANCY))
  t.false(authorizer.may('key', 'read', 'a', inNamespace('team-1', 'p')))
})

test('the most specific block with a rule for the segment decides', t => {
  const authorizer = authorizerOf(
    'namespace "team-1" { key "a" { policy = "deny" } } namespace_prefix "team" { key_prefix "" { policy = "read" } }' +
      ' namespace_prefix "" { key_prefix "" { policy = "write" } service_prefix "" { policy = "read" } }'
  )
  t.false(authorizer.may('key', 'read', 'a', TEAM))
  t.true(authorizer.may('key', 'read', 'b', TEAM))
  t.false(authorizer.may('key', 'write', 'b', TEAM))
  t.true(authorizer.may('key', 'write', 'b', inNamespace('other')))
  t.true(authorizer.may('service', 'read', 'b', TEAM))
})

test('partition blocks reach into other partitions', t => {
  const authorizer = authorizerOf(
    'partition "prul-a" { key_prefix "" { policy = "write" } namespace "in" { key_prefix "" { policy = "read" } } }' +
      ' partition_prefix "prul-" { key_prefix "" { policy = "read" } }'
  )
  t.true(authorizer.may('key', 'write', 'a', inNamespace('default', 'prul-a')))
  t.true(authorizer.may('key', 'read', 'a', inNamespace('in', 'prul-a')))
  t.false(authorizer.may('key', 'write', 'a', inNamespace('in', 'prul-a')))
  t.true(authorizer.may('key', 'read', 'a', inNamespace('default', 'prul-b')))
  t.false(authorizer.may('key', 'write', 'a', inNamespace('default', 'prul-b')))
  t.false(authorizer.may('key', 'read', 'a', DEFAULT_TENANCY))
})

test('rules that are not about a namespace hold whatever the tenancy', t => {
  const authorizer = authorizerOf('operator = "read" agent_prefix "" { policy = "read" }')
  t.true(authorizer.may('operator', 'read', '', inNamespace('x', 'y')))
  t.true(authorizer.may('agent', 'read', 'n', inNamespace('x')))
  t.false(authorizer.may('agent', 'read', 'n', inNamespace('x', 'y')))
})

test('any namespace is enough for the wildcard, but a denial of nodes in default is for all', t => {
  const any = inNamespace(ANY_NAMESPACE)
  t.true(authorizerOf('namespace "a" { acl = "read" }').may('acl', 'read', '', any))
  t.false(authorizerOf('namespace "a" { acl = "read" }').may('acl', 'write', '', any))
  t.true(authorizerOf('acl = "deny" namespace "a" { acl = "read" }').may('acl', 'read', '', any))
  t.true(authorizerOf('node "x" { policy = "read" }', TEAM).may('node', 'read', 'x', any))
  const denied = 'node "x" { policy = "deny" } namespace_prefix "a" { node_prefix "" { policy = "read" } }'
  t.false(authorizerOf(denied).may('node', 'read', 'x', any))
  t.true(authorizerOf(denied).may('node', 'read', 'y', any))
  t.false(authorizerOf(denied).may('node', 'read', 'y', inNamespace(ANY_NAMESPACE, 'p')))
})

test('the right on a namespace comes from operator, from its policy, or from any access inside', t => {
  t.true(authorizerOf('operator = "write"').mayNamespace('write', TEAM))
  t.false(authorizerOf('operator = "read"').mayNamespace('write', TEAM))
  t.true(authorizerOf('operator = "read"').mayNamespace('read', TEAM))
  t.true(authorizerOf('namespace "team-1" { policy = "write" }').mayNamespace('write', TEAM))
  t.true(authorizerOf('namespace "team-1" { key "a" { policy = "read" } }').mayNamespace('read', TEAM))
  t.false(authorizerOf('namespace "team-1" { key "a" { policy = "deny" } }').mayNamespace('read', TEAM))
  t.false(
    authorizerOf('namespace "team-1" { policy = "deny" key "a" { policy = "read" } }').mayNamespace(
      'read',
      TEAM
    )
  )
  t.true(authorizerOf('service_prefix "" { policy = "read" }', TEAM).mayNamespace('read', TEAM))
  t.false(authorizerOf('service_prefix "" { policy = "read" }').mayNamespace('read', TEAM))
  t.true(compileAuthorizer([], 'allow').mayNamespace('read', TEAM))
})

test('the defaults of a namespace answer where the own rules do not', t => {
  const defaults = namespaceDefaultRules(
    [
      scoped(
        'key_prefix "" { policy = "write" } operator = "write" node_prefix "" { policy = "write" } namespace_prefix "x" { acl = "read" }'
      )
    ],
    TEAM
  )
  const authorizer = compileAuthorizer([scoped('key_prefix "a" { policy = "read" }', TEAM)], 'deny', defaults)
  t.true(authorizer.may('key', 'read', 'a', TEAM))
  t.false(authorizer.may('key', 'write', 'a', TEAM))
  t.true(authorizer.may('key', 'write', 'b', TEAM))
  t.true(authorizer.may('key', 'write', 'a', DEFAULT_TENANCY))
  t.true(authorizer.may('operator', 'write', '', TEAM))
  t.false(authorizer.may('node', 'write', 'n', TEAM))
  t.true(authorizer.may('node', 'write', 'n', DEFAULT_TENANCY))
  t.true(authorizer.may('acl', 'read', '', inNamespace('xy')))
})
