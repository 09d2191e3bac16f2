// What an authorizer decides, case by case.
import test from 'ava'
import * as fc from 'fast-check'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import {
  allowEverything,
  compileAuthorizer,
  type Access,
  type DefaultPolicy,
  type Resource
} from '../../../projections/acl/authorizer.js'
import { managementRules } from '../../../projections/acl/rules/builtin.js'
import { parseRules } from '../../../projections/acl/rules/parse.js'
import { question, tenancy } from './arbitraries.js'
import { costRatio } from '../../support/cost.js'

/** The rules of policy `n` of 50, 40 of them. */
const manyRules = (n: number): string =>
  Array.from(
    { length: 40 },
    (_, at) =>
      `${at % 2 ? 'key' : 'key_prefix'} "team-${n}/app-${at}" { policy = "${at % 3 ? 'read' : 'write'}" }`
  ).join('\n')

const authorizerOf = (texts: readonly string[], fallback: DefaultPolicy = 'deny') =>
  compileAuthorizer(
    texts.map((text, at) => ({
      rules: parseRules(text),
      tenancy: DEFAULT_TENANCY,
      source: `policy ${at + 1}`
    })),
    fallback
  )

/** `resource:access:segment` */
const ask = (texts: readonly string[], asked: string, fallback?: DefaultPolicy): boolean => {
  const [resourceAsked = '', access = '', ...segment] = asked.split(':')
  return authorizerOf(texts, fallback).may(
    resourceAsked as Resource,
    access as Access,
    segment.join(':'),
    DEFAULT_TENANCY
  )
}

const cases: readonly (readonly [title: string, texts: readonly string[], yes: string, no: string])[] = [
  [
    'an exact rule beats every prefix',
    ['key "a" { policy = "read" } key_prefix "" { policy = "write" }'],
    'key:read:a key:write:ab',
    'key:write:a'
  ],
  [
    'prefixes are plain text',
    ['key_prefix "ap" { policy = "read" }'],
    'key:read:ap key:read:app/x',
    'key:read:a key:read:Ap'
  ],
  [
    'the empty exact label is only the empty name',
    ['service "" { policy = "write" }'],
    'service:write:',
    'service:read:a'
  ],
  [
    'list is between read and write',
    ['key_prefix "" { policy = "list" }'],
    'key:read:a key:list:a',
    'key:write:a key:write-prefix:a'
  ],
  [
    'write wins over list over read',
    ['key "a" { policy = "read" }', 'key "a" { policy = "list" }'],
    'key:list:a',
    'key:write:a'
  ],
  [
    'deny wins over write',
    ['node "a" { policy = "write" }', 'node "a" { policy = "deny" }'],
    '',
    'node:read:a node:write:a'
  ],
  [
    'a tree needs write everywhere in it',
    ['key_prefix "a" { policy = "write" } key "a/b" { policy = "read" }'],
    'key:write-prefix:a/c key:write-prefix:ab',
    'key:write-prefix:a key:write-prefix:a/ key:write-prefix:'
  ],
  [
    'a tree is not opened by an exact rule',
    ['key "a" { policy = "write" }'],
    'key:write:a',
    'key:write-prefix:a'
  ],
  [
    'intentions follow the service',
    ['service "a" { policy = "write" } service "b" { policy = "deny" }'],
    'intention:read:a',
    'intention:write:a intention:read:b'
  ],
  [
    'intentions may be given apart',
    ['service "a" { policy = "deny" intentions = "write" }'],
    'intention:write:a',
    'service:read:a'
  ],
  [
    'intentions are derived after merging',
    ['service "a" { policy = "read" }', 'service "a" { policy = "deny" }'],
    '',
    'intention:read:a'
  ],
  [
    'given intentions win over derived ones',
    ['service "a" { policy = "deny" }', 'service "a" { policy = "read" intentions = "read" }'],
    'intention:read:a',
    'service:read:a'
  ],
  [
    'every intention is read if any is',
    ['service "a" { policy = "read" } service_prefix "" { policy = "deny" }'],
    'intention:read:*',
    'intention:write:* intention:read:b'
  ],
  [
    'every intention is written if none is refused',
    ['service_prefix "" { policy = "read" intentions = "write" }'],
    'intention:write:* intention:read:*',
    ''
  ],
  [
    'one refusal refuses writing every intention',
    ['service_prefix "" { policy = "read" intentions = "write" } service "a" { policy = "read" }'],
    'intention:read:*',
    'intention:write:*'
  ],
  [
    'a service called star decides nothing for all',
    ['service "*" { policy = "write" intentions = "write" }'],
    'intention:read:* service:write:*',
    'intention:write:* service:read:a'
  ],
  [
    'rules without labels ignore the segment',
    ['operator = "read"'],
    'operator:read: operator:read:x',
    'operator:write: acl:read:'
  ]
]

for (const [title, texts, yes, no] of cases)
  test(title, t => {
    for (const asked of yes.split(' ').filter(Boolean)) t.true(ask(texts, asked), asked)
    for (const asked of no.split(' ').filter(Boolean)) t.false(ask(texts, asked), asked)
  })

test('a default of allow covers what no rule answers, but never the ACL system', t => {
  t.true(ask([], 'key:write-prefix:', 'allow'))
  t.true(ask([], 'intention:write:*', 'allow'))
  t.false(ask([], 'acl:read:', 'allow'))
  t.false(ask(['key "a" { policy = "read" }'], 'key:write:a', 'allow'))
  t.true(ask(['acl = "read"'], 'acl:read:', 'allow'))
})

test('reading every resource of a kind is allowed if no rule denies one and the empty prefix grants it', t => {
  const mayAllNodes = (text: string) => authorizerOf([text]).mayAll('node', 'read', DEFAULT_TENANCY)
  t.true(mayAllNodes('node_prefix "" { policy = "read" }'))
  t.false(mayAllNodes('node_prefix "" { policy = "read" } node "x" { policy = "deny" }'))
  t.false(mayAllNodes('node_prefix "a" { policy = "read" }'))
  t.true(authorizerOf([], 'allow').mayAll('node', 'read', DEFAULT_TENANCY))
})

test('a decision names the rule, its line and its source', t => {
  const authorizer = authorizerOf(['acl = "read"', '\nservice_prefix "w" {\n  policy = "read"\n}'])
  const { allowed, because } = authorizer.decide('intention', 'read', 'web', DEFAULT_TENANCY)
  t.true(allowed)
  t.is(because.kind, 'rule')
  if (because.kind === 'rule') {
    t.is(because.source, 'policy 2')
    t.like(because.rule, { resource: 'service', match: 'prefix', label: 'w', line: 2 })
  }
  t.deepEqual(authorizer.decide('key', 'read', 'a', DEFAULT_TENANCY), {
    allowed: false,
    because: { kind: 'default', policy: 'deny' }
  })
})

test('the built-in policy grants everything everywhere, unless something is denied', t => {
  const management = { rules: managementRules(), tenancy: DEFAULT_TENANCY }
  const denial = { rules: parseRules('key_prefix "" { policy = "deny" }'), tenancy: DEFAULT_TENANCY }
  fc.assert(
    fc.property(question, tenancy, (asked, where) => {
      const authorizer = compileAuthorizer([management], 'deny')
      return authorizer.may(...asked) && authorizer.mayNamespace('write', where)
    })
  )
  t.false(compileAuthorizer([management, denial], 'deny').may('key', 'read', 'a', DEFAULT_TENANCY))
})

test('without ACLs everything is allowed', t => {
  t.true(allowEverything.may('acl', 'write', '', DEFAULT_TENANCY))
  t.true(allowEverything.mayAll('node', 'read', DEFAULT_TENANCY))
  t.true(allowEverything.decide('acl', 'write', '', DEFAULT_TENANCY).allowed)
})

test('a decision among 2,000 rules costs little more than one among 40', t => {
  const decisionsOf = (policies: number): (() => void) => {
    const authorizer = authorizerOf(Array.from({ length: policies }, (_, n) => manyRules(n)))
    const names = Array.from({ length: 200 }, (_, at) => `team-${at % policies}/app-${at % 40}/and/more`)
    return () => {
      for (let round = 0; round < 10; round++)
        for (const name of names) authorizer.may('key', 'read', name, DEFAULT_TENANCY)
    }
  }
  const ratio = costRatio(decisionsOf(50), decisionsOf(1), 6)
  t.true(ratio <= 6, `${ratio} times`)
})
