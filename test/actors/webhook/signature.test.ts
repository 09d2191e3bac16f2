import test from 'ava'
import { Webhook } from 'standardwebhooks'
import { isSecret, secretOf, signedHeaders } from '../../../actors/webhook/signature.js'

const secret = secretOf(Buffer.alloc(32, 7))

test('a receiver verifies a delivery with the library of Standard Webhooks', t => {
  const body = Buffer.from('{"Messages":["ä"],"LastIndex":1}')
  const headers = signedHeaders(secret, body, Date.now())
  t.deepEqual(new Webhook(secret).verify(body, headers), { Messages: ['ä'], LastIndex: 1 })
  t.throws(() => new Webhook(secret).verify(Buffer.from('{}'), headers))
  t.throws(() => new Webhook(secretOf(Buffer.alloc(32, 8))).verify(body, headers))
})

test('what is signed is the ID, the second and the body', t => {
  // Of the specification's own example.
  const given = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  t.true(isSecret(given))
  const signature = new Webhook(given).sign(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    new Date(1614265330_000),
    '{"test": 2432232314}'
  )
  t.is(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('the same body has the same ID at every attempt, another one another', t => {
  const body = Buffer.from('{"LastIndex":1}')
  const first = signedHeaders(secret, body, 1_000_000)
  const second = signedHeaders(secret, body, 2_000_000)
  t.is(first['webhook-id'], second['webhook-id'])
  t.is(second['webhook-timestamp'], '2000')
  t.not(first['webhook-signature'], second['webhook-signature'])
  t.not(signedHeaders(secret, Buffer.from('{}'), 1_000_000)['webhook-id'], first['webhook-id'])
})

test('a secret is whsec_ and 24 to 64 bytes in Base64', t => {
  for (const bytes of [24, 32, 63, 64]) t.true(isSecret(secretOf(Buffer.alloc(bytes, 200))), String(bytes))
  for (const bytes of [0, 23, 65]) t.false(isSecret(secretOf(Buffer.alloc(bytes))), String(bytes))
  const base64 = Buffer.alloc(32).toString('base64')
  for (const text of [
    '',
    'whsec_',
    base64,
    `whsec ${base64}`,
    `whsec_${base64} `,
    `whsec_-_${base64.slice(2)}`
  ])
    t.false(isSecret(text), text)
})
