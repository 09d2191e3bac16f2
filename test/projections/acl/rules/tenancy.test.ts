// Namespace and partition blocks: their forms, and where which rules may stand.
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { RuleError } from '../../../../projections/acl/rules/model.js'

const TEAM = { partition: 'default', namespace: 'team' }
const OTHER = { partition: 'other', namespace: 'default' }

const blocksOf = (text: string) =>
  parseRules(text).blocks.map(({ partition, namespace, rules }) => [
    partition === null ? null : `${partition.match} ${partition.label}`,
    `${namespace.match} ${namespace.label}`,
    rules.map(({ resource, label, level }) => `${resource} ${label} ${level}`)
  ])

test('rules in blocks are for the namespaces and partitions that the blocks name', t => {
  t.deepEqual(
    blocksOf('namespace "Team" { policy = "write" acl = "read" key_prefix "" { policy = "list" } }'),
    [[null, 'exact team', ['key  list', 'namespace  write', 'acl  read']]]
  )
  t.deepEqual(blocksOf('namespace_prefix "" { node "x" { policy = "read" } }'), [
    [null, 'prefix ', ['node x read']]
  ])
  t.deepEqual(blocksOf('{"namespace":{"foo":{"policy":"write","key_prefix":{"":{"policy":"write"}}}}}'), [
    [null, 'exact foo', ['key  write', 'namespace  write']]
  ])
  t.deepEqual(blocksOf('partition "p" { acl = "read" namespace "in" { acl = "write" } }'), [
    ['exact p', 'exact in', ['acl  write']],
    ['exact p', 'exact default', ['acl  read']]
  ])
  t.deepEqual(blocksOf('partition_prefix "p-" { agent "x" { policy = "read" } }'), [
    ['prefix p-', 'exact default', ['agent x read']]
  ])
})

const allowed = [
  [
    'namespace "a" { acl = "write" node_prefix "" { policy = "read" } node "x" { policy = "deny" } } operator = "read"',
    DEFAULT_TENANCY
  ],
  [
    'namespace "default" { operator = "read" query "" { policy = "read" } node_prefix "" { policy = "write" } }',
    DEFAULT_TENANCY
  ],
  ['partition "default" { operator = "read" }', DEFAULT_TENANCY],
  ['mesh = "write" partition "p" { mesh = "write" peering = "read" }', DEFAULT_TENANCY],
  ['mesh = "write"', OTHER],
  ['partition "p" { agent "x" { policy = "write" } node "x" { policy = "write" } }', DEFAULT_TENANCY],
  ['acl = "write" key "a" { policy = "list" } node "x" { policy = "read" }', TEAM],
  ['policy = "write"', TEAM],
  [
    'namespace_prefix "" { key "a" { policy = "read" } } node_prefix "" { policy = "write" } acl = "write"',
    OTHER
  ],
  ['agent "x" { policy = "read" }', OTHER]
] as const

for (const [text, home] of allowed)
  test(`allowed in ${home.partition}/${home.namespace}: ${text}`, t => {
    t.notThrows(() => parseRules(text, home))
  })

const refused = [
  ['namespace "a" { operator = "read" }', DEFAULT_TENANCY, /^Invalid operator policy/],
  ['namespace "a" { keyring = "read" }', DEFAULT_TENANCY, /^Invalid keyring policy/],
  ['namespace "a" { event_prefix "" { policy = "read" } }', DEFAULT_TENANCY, /^Invalid event policy/],
  ['namespace "a" { query_prefix "" { policy = "read" } }', DEFAULT_TENANCY, /^Invalid query policy/],
  ['namespace "a" { agent_prefix "" { policy = "read" } }', DEFAULT_TENANCY, /^Invalid agent policy/],
  ['namespace "a" { node "x" { policy = "write" } }', DEFAULT_TENANCY, /^Invalid node policy/],
  ['namespace_prefix "" { operator = "read" }', DEFAULT_TENANCY, /^Invalid operator policy/],
  ['namespace "a" { namespace "b" { acl = "read" } }', DEFAULT_TENANCY, /^Invalid namespace policy/],
  ['namespace "a" { policy = "list" }', DEFAULT_TENANCY, /^Invalid namespace policy: "list"/],
  ['namespace { policy = "read" }', DEFAULT_TENANCY, /^Invalid namespace policy: policy must be a block/],
  ['namespace "a" { partition "b" { acl = "read" } }', DEFAULT_TENANCY, /^Invalid partition policy/],
  ['partition "a" { partition "b" { acl = "read" } }', DEFAULT_TENANCY, /^Invalid partition policy/],
  ['partition "a" { policy = "read" }', DEFAULT_TENANCY, /^Invalid partition policy/],
  ['partition "a" { operator = "read" }', DEFAULT_TENANCY, /^Invalid operator policy/],
  ['partition_prefix "" { operator = "read" }', DEFAULT_TENANCY, /^Invalid operator policy/],
  [
    'partition "a" { namespace "b" { agent "x" { policy = "read" } } }',
    DEFAULT_TENANCY,
    /^Invalid agent policy/
  ],
  ['namespace "a" { mesh = "read" }', DEFAULT_TENANCY, /^Invalid mesh policy/],
  ['namespace "default" { peering = "read" }', DEFAULT_TENANCY, /^Invalid peering policy/],
  ['mesh = "read"', TEAM, /^Invalid mesh policy/],
  ['operator = "read"', TEAM, /^Invalid operator policy/],
  ['node "x" { policy = "write" }', TEAM, /^Invalid node policy/],
  ['namespace "team" { key "a" { policy = "read" } }', TEAM, /^Invalid namespace policy/],
  ['namespace_prefix "" { key "a" { policy = "read" } }', TEAM, /^Invalid namespace_prefix policy/],
  ['partition "default" { acl = "read" }', TEAM, /^Invalid partition policy/],
  ['partition_prefix "" { acl = "read" }', OTHER, /^Invalid partition_prefix policy/],
  ['operator = "read"', OTHER, /^Invalid operator policy/],
  ['keyring = "read"', OTHER, /^Invalid keyring policy/]
] as const

for (const [text, home, message] of refused)
  test(`refused in ${home.partition}/${home.namespace}: ${text}`, t => {
    t.throws(() => parseRules(text, home), { instanceOf: RuleError, message })
  })
