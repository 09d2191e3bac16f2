// Audited events as OCSF, ECS and CEF: the required attributes of each class, and texts that need escapes.
import test from 'ava'
import type { Event, Origin } from '../../../events/envelope.js'
import { formattedLines, type EventFormat } from '../../../projections/stream/formats/event-format.js'

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
  formattedLines(
    format,
    { Index: 42, Time: '2026-01-31T12:00:00.250Z', By: { ...BY, ...by } },
    events,
    hasPayload
  )
    .split('\n')
    .filter(Boolean)

const fieldsOf = (...parts: Parameters<typeof linesOf>): Fields => JSON.parse(linesOf(...parts)[0] ?? '')

/** The required attributes of OCSF 1.7.0: of every event, and of its class. */
const REQUIRED = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid']
const REQUIRED_BY_CLASS: Readonly<Record<number, readonly string[]>> = {
  3001: ['user'],
  3002: ['user', 'service'],
  3004: ['entity'],
  6003: ['actor', 'api', 'src_endpoint']
}

for (const [topic, type, command, classUid, activity] of [
  ['ACLToken', 'ACLTokenUpserted', 'Login', 3002, 1],
  ['ACLToken', 'ACLTokenDeleted', 'Logout', 3002, 2],
  ['ACLToken', 'ACLTokenUpserted', 'CreateToken', 3001, 1],
  ['ACLToken', 'ACLTokenUpserted', 'UpdateToken', 3001, 99],
  ['ACLToken', 'ACLTokenDeleted', 'DeleteToken', 3001, 6],
  ['ACLPolicy', 'ACLPolicyUpserted', 'CreatePolicy', 3004, 1],
  ['ACLRole', 'ACLRoleUpserted', 'UpdateRole', 3004, 3],
  ['Namespace', 'NamespaceDeleted', 'DeleteNamespace', 3004, 4],
  ['KV', 'KVSet', 'SetKey', 6003, 3],
  ['KV', 'KVDelete', 'DeleteKey', 6003, 4],
  ['Session', 'SessionCreated', 'CreateSession', 6003, 1]
] as const)
  test(`${command} with ${type} is activity ${activity} of OCSF class ${classUid}`, t => {
    for (const by of [{}, { AccessorID: '', Address: '', RequestID: '' }]) {
      const fields = fieldsOf('ocsf', [eventOf(topic, type)], { Command: command, ...by })
      for (const name of [...REQUIRED, ...(REQUIRED_BY_CLASS[classUid] ?? [])])
        t.not(fields[name], undefined, name)
      t.is(fields['class_uid'], classUid)
      t.is(fields['activity_id'], activity)
      t.is(fields['type_uid'], classUid * 100 + activity)
      t.is(fields['category_uid'], Math.floor(classUid / 1000))
      t.is(fields['time'], Date.parse('2026-01-31T12:00:00.250Z'))
      t.like(fields['metadata'], { version: '1.7.0', uid: '42-0', sequence: 42 })
      t.like(fields['unmapped'], { index: 42, key: 'web/port', command, reason: 'OPS-12' })
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
