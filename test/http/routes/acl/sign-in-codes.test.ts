import test from 'ava'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createToken } from '../../support.js'

const PATH = '/v1/acl/sign-in'

const codeOf = async (server: TestServer, token: string = ROOT): Promise<string> => {
  const { status, text } = await server.send('POST', '/v1/acl/sign-in-code', { token })
  if (status !== 200) throw new Error(text)
  const { Code, ExpiresInSeconds } = JSON.parse(text)
  if (ExpiresInSeconds !== 60) throw new Error(text)
  return Code
}

const redeem = (server: TestServer, Code: string) => server.send('POST', PATH, { token: '', body: { Code } })

test('a code is exchanged for the token that it was created with, once', async t => {
  const server = await serverInProcess(t)
  const { SecretID } = await createToken(server, {})
  const [code, another] = [await codeOf(server, SecretID), await codeOf(server)]
  t.regex(code, /^[0-9a-f]{64}$/)
  t.not(code, another)
  const first = await redeem(server, code)
  t.is(first.status, 200)
  t.deepEqual(JSON.parse(first.text), { SecretID })
  const second = await redeem(server, code)
  t.is(second.status, 403)
  t.is(second.text, 'Permission denied: the sign-in code is unknown, used or expired')
  t.is((await redeem(server, another)).status, 200)
})

test('a code expires after 60 seconds', async t => {
  const server = await serverInProcess(t, { clock: new SetClock({ runs: false }) })
  const [early, late] = [await codeOf(server), await codeOf(server)]
  server.advance(59_000)
  t.is((await redeem(server, early)).status, 200)
  server.advance(1000)
  t.is((await redeem(server, late)).status, 403)
})

test('no code without a valid token, and no secret without a code', async t => {
  const server = await serverInProcess(t)
  const create = (token: string) => server.send('POST', '/v1/acl/sign-in-code', { token })
  t.is((await create('')).status, 400)
  t.is((await create('none')).status, 403)
  t.is((await redeem(server, '')).status, 403)
  t.is((await redeem(server, 'none')).status, 403)
  t.is((await server.send('POST', PATH, { body: { Code: 7 } })).status, 400)
  t.is((await server.send('POST', PATH, { body: { Secret: 'x' } })).status, 400)
})

test('beyond a thousand, the oldest codes are dropped', async t => {
  const server = await serverInProcess(t)
  const oldest = await codeOf(server)
  for (let made = 1; made < 1000; made++) await codeOf(server)
  const newest = await codeOf(server)
  t.is((await redeem(server, oldest)).status, 403)
  t.is((await redeem(server, newest)).status, 200)
})
