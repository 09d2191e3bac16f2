// Which events an authorizer lets through, topic by topic.
import test from 'ava'
import { checkEvent, nodeEvent, serviceEvent } from '../../../actors/catalog/catalog-changes.js'
import { queryUpserted } from '../../../actors/query.js'
import { sessionEvent } from '../../../actors/session.js'
import { createEvent, DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import type { NodeState } from '../../../events/node.js'
import { compileAuthorizer } from '../../../projections/acl/authorizer.js'
import { parseRules } from '../../../projections/acl/rules/parse.js'
import { visibleEvent } from '../../../projections/stream/topics.js'
import { checkInput, nodeInput, serviceInput } from '../../support/catalog.js'
import { queryService } from '../../support/queries.js'

const indexes = { CreateIndex: 1, ModifyIndex: 1 }

const host: NodeState = {
  partition: 'default',
  node: { ...nodeInput('a'), ...indexes },
  registeredAt: '2026-01-01T00:00:00Z',
  status: 'ready',
  statusUpdatedAt: 0,
  eligible: true
}

const check = (ServiceID: string, ServiceName: string): Event =>
  checkEvent('CheckRegistration', {
    ...DEFAULT_TENANCY,
    check: { ...checkInput('a', 'c', { ServiceID, ServiceName }), ...indexes },
    runner: undefined
  })

const session = sessionEvent('SessionCreated', DEFAULT_TENANCY, {
  ID: '11111111-2222-3333-4444-555555555501',
  Name: '',
  Node: 'a',
  LockDelay: 0,
  Behavior: 'release',
  TTL: '',
  NodeChecks: null,
  ServiceChecks: null,
  ...indexes
})

const query = queryUpserted({
  ID: '11111111-2222-3333-4444-555555555502',
  Name: 'a',
  Session: '',
  Token: '',
  Template: { Type: '', Regexp: '', RemoveEmptyTags: false },
  Service: queryService(),
  DNS: { TTL: '' },
  ...indexes
})

const entry = (Kind: string): Event =>
  createEvent({
    Topic: 'ConfigEntry',
    Type: 'ConfigEntryUpserted',
    Key: `${Kind}/a`,
    tenancy: DEFAULT_TENANCY,
    Payload: { ConfigEntry: { Kind, Name: 'a', ...indexes } }
  })

const web = serviceEvent(
  'ServiceRegistration',
  { ...DEFAULT_TENANCY, node: 'a', service: { ...serviceInput('a'), ...indexes }, agent: false },
  host
)

/** Whether somebody with these rules sees an event. */
const seenWith = (event: Event, rules: string): boolean =>
  visibleEvent(
    compileAuthorizer([{ rules: parseRules(rules), tenancy: DEFAULT_TENANCY, source: 'p' }], 'deny'),
    event,
    'whole'
  ) !== undefined

for (const { title, event, rules } of [
  { title: 'a node', event: nodeEvent('NodeRegistration', host), rules: ['node "a"'] },
  { title: 'a service', event: web, rules: ['service "a"'] },
  { title: 'a check of a node', event: check('', ''), rules: ['node "a"'] },
  { title: 'a check of a service', event: check('a', 'a'), rules: ['node "a"', 'service "a"'] },
  { title: 'a session', event: session, rules: ['session "a"'] },
  { title: 'a prepared query', event: query, rules: ['query "a"'] },
  { title: 'the entry of a service', event: entry('service-defaults'), rules: ['service "a"'] }
])
  test(`${title} is seen with the rights on it, with all of them, and on no other`, t => {
    const granting = (names: readonly string[]): string =>
      names.map(name => `${name} { policy = "read" }`).join('\n')
    t.true(seenWith(event, granting(rules)))
    for (const missing of rules) t.false(seenWith(event, granting(rules.filter(rule => rule !== missing))))
    t.false(seenWith(event, granting(rules.map(rule => rule.replace('"a"', '"b"')))))
  })

test('an entry readable by everyone reaches every caller, one of an unknown kind no caller', t => {
  t.true(seenWith(entry('proxy-defaults'), ''))
  t.false(seenWith(entry('of another version'), 'operator = "write"'))
})

test('an event of an unknown topic reaches no caller', t => {
  t.false(seenWith({ ...session, Topic: 'Other' }, 'session_prefix "" { policy = "write" }'))
})
