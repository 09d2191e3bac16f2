import test from 'ava'
import * as fc from 'fast-check'
import { redact } from '../../../../server/telemetry/logging/redact.js'
import { growth } from '../../../support/cost.js'

const SECRET = 'b6e29626-e23d-98b4-e19f-c71a96fbdef7'

test('values of secret names are hidden at any depth and in any letter case', t => {
  const names = [
    'SecretID',
    'secretid',
    'x-service-token',
    'X-Consul-Token',
    'x-nomad-token',
    'Authorization',
    'token'
  ]
  for (const name of names) {
    for (const value of [SECRET, [SECRET], { a: { b: [SECRET, '}'] } }, `"${SECRET}`, `${SECRET}\\`]) {
      const line = redact(JSON.stringify({ a: [{ b: { [name]: value, after: 'kept' } }], last: 1 }))
      t.false(line.includes(SECRET), line)
      t.deepEqual(JSON.parse(line), { a: [{ b: { [name]: '[redacted]', after: 'kept' } }], last: 1 })
    }
  }
})

test('secrets in JSON that was logged as text are hidden', t => {
  let body = JSON.stringify({ Name: 'a', SecretID: `${SECRET}"\\`, Rules: 'kept' })
  for (let depth = 1; depth <= 4; depth++) {
    body = JSON.stringify({ body, after: 'kept' })
    const line = redact(body)
    t.false(line.includes(SECRET), line)
    t.is(line.split('kept').length - 1, depth + 1, line)
    t.notThrows(() => JSON.parse(line))
  }
})

test('tokens in URLs and bearer tokens are hidden wherever they stand', t => {
  const line = redact(`GET /v1/kv/a?dc=x&token=${SECRET}&raw and ?Token=${SECRET} and Bearer ${SECRET}, end`)
  t.is(line, 'GET /v1/kv/a?dc=x&token=[redacted]&raw and ?Token=[redacted] and Bearer [redacted], end')
})

test('secrets of webhooks are hidden wherever they stand', t => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  t.is(
    redact(`{"a":"${secret}","b":"signed with ${secret}."}`),
    '{"a":"whsec_[redacted]","b":"signed with whsec_[redacted]."}'
  )
})

test('what is no secret stays as it is', t => {
  const lines = [
    '{"AccessorID":"a","Tokens":3,"SecretID":"","token":null,"Name":"token","tokenless":"x"}',
    '{"err":{"code":"ENOSPC","message":"disk full"}}',
    'no JSON at all \\" {'
  ]
  for (const line of lines) t.is(redact(line), line)
})

test('no secret is left in any JSON, which stays JSON', t => {
  const name = fc.constantFrom('SecretID', 'Token', 'Authorization', 'Secrets')
  const secret = fc.string().map(around => `${around}${SECRET}${around}`)
  const value = fc.oneof(
    secret,
    fc.array(secret, { minLength: 1 }),
    fc.dictionary(fc.string(), secret, { minKeys: 1 })
  )
  fc.assert(
    fc.property(name, value, fc.json(), fc.nat(3), (key, hidden, other, depth) => {
      let line = JSON.stringify({ before: other, [key]: hidden, after: 'kept' })
      for (let level = 0; level < depth; level++) line = JSON.stringify({ line })
      const clean = redact(line)
      t.false(clean.includes(SECRET))
      t.true(clean.includes('kept'))
      t.notThrows(() => JSON.parse(clean))
    })
  )
})

test('time is linear in the length of the line', t => {
  for (const part of ['\\', '"', '{"SecretID":', '"token":"', '?token=', '\\"token\\":{']) {
    const grown = growth(parts => void redact(part.repeat(parts)), 2000, 4)
    t.true(grown <= 4, `${part}: ${grown} times`)
  }
})
