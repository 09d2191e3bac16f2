// Events as OCSF, ECS and CEF: records of every type against the published schemas, and texts that need escapes.
import test from 'ava'
import type { Event, Origin } from '../../../../events/envelope.js'
import { EVENT_TOPICS } from '../../../../projections/stream/event-types.js'
import { recordsOf, type EventFormat } from '../../../../projections/stream/formats/event-format.js'
import { ecsFaults, ocsfFaults } from './schemas.js'

type Fields = Readonly<Record<string, unknown>>

const BY: Origin = {
  AccessorID: '6a1253d2-1785-24fd-91c2-f8e78c745511',
  Address: '192.0.2.7',
  RequestID: '4711-9',
  Command: 'SetKey',
  Reason: 'OPS-12'
}

const eventOf = (Topic: string, Type: string, Key = 'web/port'): Event => ({
  Topic,
  Type,
  Key,
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: null,
  Payload: { KV: { Value: 'x', Flags: 0 } }
})

const linesOf = (
  format: EventFormat,
  events: readonly Event[],
  by: Partial<Origin> = {},
  hasPayload = false
): readonly string[] =>
  recordsOf(
    format,
    { index: 42, origin: { Time: '2026-01-31T12:00:00.250Z', By: { ...BY, ...by } } },
    { events: events.map((event, position) => ({ event, position })), hasPayload }
  )

const fieldsOf = (...parts: Parameters<typeof linesOf>): Fields => JSON.parse(linesOf(...parts)[0] ?? '')

const TOKEN = {
  AccessorID: 'a5',
  Policies: [{ ID: 'p1', Name: 'web-read' }],
  Roles: [{ ID: 'r1', Name: 'web' }],
  ServiceIdentities: [{ ServiceName: 'db' }],
  NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }]
}
const NO_LINKS = { Policies: [], Roles: [], ServiceIdentities: [], NodeIdentities: [] }

const grantsOf = (topic: string, links: object, CreateIndex: number): object => ({
  [topic]: { ...links, CreateIndex, ModifyIndex: 42 }
})

const COMMANDS = ['', 'Login', 'Logout', 'CreateToken', 'UpdateRole', 'constructor', 'Set|Key']
const AUTHORS: readonly Partial<Origin>[] = [
  {},
  { Address: '2001:db8::1' },
  { AccessorID: '', Address: '', RequestID: '', Erased: true }
]

for (const [Type, Topic] of [
  ...Object.entries(EVENT_TOPICS),
  ['Renamed', 'KV'],
  ['toString', 'ACLToken']
] as const)
  test(`the records of ${Type} are valid OCSF and ECS, whatever payload, command and author`, t => {
    const payloads = [{}, grantsOf(Topic, TOKEN, 42), grantsOf(Topic, TOKEN, 7), grantsOf(Topic, NO_LINKS, 7)]
    const events = payloads.flatMap((Payload, i): Event[] => {
      const event = { ...eventOf(Topic, Type), Payload }
      // Events of tokens and roles without payload were erased.
      return i > 0 ? [event] : [{ ...event, Erased: true }]
    })
    for (const Command of COMMANDS)
      for (const by of AUTHORS)
        for (const hasPayload of [false, true]) {
          for (const text of linesOf('ocsf', events, { Command, ...by }, hasPayload))
            t.is(ocsfFaults(JSON.parse(text)), '', text)
          for (const text of linesOf('ecs', events, { Command, ...by }, hasPayload))
            t.is(ecsFaults(JSON.parse(text)), '', text)
          t.is(linesOf('cef', events, { Command, ...by }).length, events.length)
        }
  })

test('the schemas object to records that OCSF and ECS do not allow', t => {
  const ocsf = fieldsOf('ocsf', [eventOf('KV', 'KVSet')])
  for (const wrong of [{ ...ocsf, actor: {} }, { ...ocsf, extra: 1 }, { ...ocsf, activity_id: 7 }, {}])
    t.not(ocsfFaults(wrong), '')
  const ecs = fieldsOf('ecs', [eventOf('KV', 'KVSet')])
  for (const wrong of [{ ...ecs, extra: 1 }, { ...ecs, event: { category: ['iam'], type: ['start'] } }, {}])
    t.not(ecsFaults(wrong), '')
})

const links = (topic: string, of: object, CreateIndex = 7): object => grantsOf(topic, of, CreateIndex)

for (const [topic, type, command, payload, classUid, activity] of [
  ['ACLToken', 'ACLTokenUpserted', 'Login', {}, 3002, 1],
  ['ACLToken', 'ACLTokenDeleted', 'Logout', {}, 3002, 2],
  ['ACLToken', 'ACLTokenUpserted', 'CreateToken', links('ACLToken', TOKEN, 42), 3001, 1],
  ['ACLToken', 'ACLTokenUpserted', 'UpdateToken', links('ACLToken', TOKEN), 3005, 1],
  ['ACLToken', 'ACLTokenUpserted', 'UpdateToken', links('ACLToken', NO_LINKS), 3005, 2],
  ['ACLToken', 'ACLTokenDeleted', 'DeleteToken', {}, 3001, 6],
  ['ACLPolicy', 'ACLPolicyUpserted', 'CreatePolicy', links('ACLPolicy', {}, 42), 3004, 1],
  ['ACLRole', 'ACLRoleUpserted', 'CreateRole', links('ACLRole', TOKEN, 42), 3004, 1],
  ['ACLRole', 'ACLRoleUpserted', 'UpdateRole', links('ACLRole', TOKEN), 3005, 1],
  ['ACLRole', 'ACLRoleUpserted', 'UpdateRole', links('ACLRole', NO_LINKS), 3005, 2],
  ['ACLRole', 'ACLRoleDeleted', 'DeleteRole', links('ACLRole', TOKEN), 3004, 4],
  ['Namespace', 'NamespaceDeleted', 'DeleteNamespace', {}, 3004, 4],
  ['KV', 'KVSet', 'SetKey', { KV: { CreateIndex: 42 } }, 6003, 1],
  ['KV', 'KVSet', 'SetKey', { KV: { CreateIndex: 41 } }, 6003, 3],
  ['KV', 'KVDelete', 'DeleteKey', { KV: { CreateIndex: 42 } }, 6003, 4],
  ['Session', 'SessionCreated', 'CreateSession', {}, 6003, 1]
] as const)
  test(`${command} with ${type} and ${JSON.stringify(payload)} is activity ${activity} of OCSF class ${classUid}`, t => {
    const event = { ...eventOf(topic, type), Payload: payload }
    const fields = fieldsOf('ocsf', [event], { Command: command })
    t.is(fields['class_uid'], classUid)
    t.is(fields['activity_id'], activity)
    t.is(fields['type_uid'], classUid * 100 + activity)
    t.is(fields['time'], Date.parse('2026-01-31T12:00:00.250Z'))
    t.like(fields['metadata'], { uid: '42-0', sequence: 42 })
    t.like(fields['unmapped'], { index: 42, key: 'web/port', command, reason: 'OPS-12' })
  })

test('the privileges of a token or role are all its links', t => {
  const of = (topic: string): unknown =>
    fieldsOf('ocsf', [{ ...eventOf(topic, `${topic}Upserted`), Payload: links(topic, TOKEN) }])['privileges']
  const shared = ['service-identity/db', 'node-identity/n1']
  t.deepEqual(of('ACLToken'), ['policy/web-read', 'role/web', ...shared])
  t.deepEqual(of('ACLRole'), ['policy/web-read', ...shared])
})

test('large flags of keys are numbers in a record with payload', t => {
  const event: Event = {
    ...eventOf('KV', 'KVSet'),
    Payload: { KV: { Value: 'x', Flags: '18446744073709551615' } }
  }
  for (const format of ['ocsf', 'ecs'] as const) {
    const [text = ''] = linesOf(format, [event], {}, true)
    t.true(text.includes('"Flags":18446744073709551615'))
    t.notThrows(() => JSON.parse(text))
  }
})

test('ECS documents have author, source, action and the fields of Annals', t => {
  const fields = fieldsOf('ecs', [eventOf('KV', 'KVDelete')], { Command: 'DeleteKey' })
  t.is(fields['@timestamp'], '2026-01-31T12:00:00.250Z')
  t.like(fields['event'], { action: 'KVDelete', type: ['deletion'], category: ['configuration'], id: '42-0' })
  t.deepEqual(fields['user'], { id: BY.AccessorID })
  t.deepEqual(fields['source'], { address: BY.Address, ip: BY.Address })
  t.like(fields['Annals'], { key: 'web/port', command: 'DeleteKey' })
  const policy = fieldsOf('ecs', [eventOf('ACLPolicy', 'ACLPolicyUpserted')], { AccessorID: '', Address: '' })
  t.like(policy['event'], { category: ['iam'] })
  t.is(policy['user'], undefined)
  t.is(policy['source'], undefined)
})

test('payloads are there on request, and erased ones are marked', t => {
  const erased: Event = { ...eventOf('KV', 'KVSet'), Payload: {}, Erased: true }
  for (const [format, name] of [
    ['ocsf', 'unmapped'],
    ['ecs', 'Annals']
  ] as const) {
    t.false(
      linesOf(format, [eventOf('KV', 'KVSet')])
        .join()
        .includes('payload')
    )
    t.like(fieldsOf(format, [eventOf('KV', 'KVSet')], {}, true)[name], {
      payload: { KV: { Value: 'x', Flags: 0 } }
    })
    t.like(fieldsOf(format, [erased], {}, true)[name], { erased: true })
  }
})

test('CEF escapes what separates its fields', t => {
  const [line = ''] = linesOf('cef', [eventOf('KV', 'KVSet', 'a=b|c\\d\ne')], {
    Command: 'Set|Key\\',
    Reason: 'one\r\ntwo=three'
  })
  t.regex(
    line,
    /^CEF:0\|Annals\|Annals\|[^|]+\|KVSet\|Set\\\|Key\\\\\|1\|rt=1769860800250 externalId=42-0 cn1=42 /
  )
  t.true(line.includes(' cs2=a\\=b|c\\\\d\\ne cs2Label=Key'))
  t.true(line.includes(' reason=one\\r\\ntwo\\=three '))
  t.true(line.includes(` suid=${BY.AccessorID} src=192.0.2.7 `))
  const [six = ''] = linesOf('cef', [eventOf('KV', 'KVSet')], { Address: '2001:db8::1' })
  t.true(six.includes(' c6a2=2001:db8::1 c6a2Label=Source IPv6 Address '))
  t.false(six.includes(' src='))
})

test('each event of a commit has its own line', t => {
  for (const format of ['ocsf', 'ecs', 'cef'] as const) {
    const lines = linesOf(format, [eventOf('KV', 'KVSet', 'a'), eventOf('KV', 'KVSet', 'b')])
    t.is(lines.length, 2)
    t.true(lines[1]?.includes('42-1'))
    t.deepEqual(linesOf(format, []), [])
  }
})
