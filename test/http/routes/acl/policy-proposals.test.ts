// Proposed next versions of policies, over HTTP.
import test from 'ava'
import { AccessUsageStore } from '../../../../http/wire/access-usage-store.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken, secretWith } from '../../support.js'

const WIDE = 'key_prefix "" { policy = "write" }'
const NARROW = 'key_prefix "app/" { policy = "read" }'

const setUp = async (server: TestServer) => {
  const ID = await createPolicy(server, 'app', WIDE)
  const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
  const path = `/v1/acl/policy/${ID}/proposal`
  const propose = (parts: object = {}) =>
    server.send('PUT', path, { body: { Name: 'app', Rules: NARROW, ...parts } })
  const put = (key: string) => server.send('PUT', `/v1/kv/${key}`, { body: 'x', token })
  return { ID, path, token, propose, put }
}

test('a proposal decides nothing, and its impact has the recorded questions that it would answer differently', async t => {
  const server = await serverInProcess(t)
  const { ID, path, token, propose, put } = await setUp(server)
  const proposed = await propose()
  t.is(proposed.status, 200, proposed.text)
  const { ModifyIndex } = JSON.parse(proposed.text)
  t.like(JSON.parse(proposed.text), { ID, Name: 'app', Rules: NARROW, CreateIndex: ModifyIndex })
  t.is((await put('app/a')).status, 200)
  t.is((await put('app/a')).status, 200)
  t.is((await server.send('GET', '/v1/kv/app/a', { token })).status, 200)
  const impact = JSON.parse((await server.send('GET', `${path}/impact`)).text)
  t.like(impact.Recorded, { Denied: 1, Kept: 1, NotHeard: [] })
  t.like(impact.Recorded.Changed[0], { Answer: 'denied', Resource: 'key', Access: 'write', Count: 2 })
  t.is(impact.Tokens, 1)
  t.deepEqual(JSON.parse((await server.send('GET', path)).text), JSON.parse(proposed.text))
  t.deepEqual(JSON.parse((await server.send('GET', '/v1/acl/policy-proposals')).text), [
    JSON.parse(proposed.text)
  ])
})

test('questions of days before the proposal do not count', async t => {
  const server = await serverInProcess(t)
  const { path, propose, put } = await setUp(server)
  await put('old')
  server.scope.resolve(AccessUsageStore).observe()
  server.clock.advance(24 * 60 * 60_000)
  await propose()
  await put('new')
  const { Recorded } = JSON.parse((await server.send('GET', `${path}/impact`)).text)
  t.is(Recorded.Denied, 1)
  t.deepEqual(
    Recorded.Changed.map(({ Segment }: { readonly Segment: string }) => Segment),
    ['new']
  )
})

test('a promotion takes the reviewed proposal into effect, and is refused for another one', async t => {
  const server = await serverInProcess(t)
  const { ID, path, propose, put } = await setUp(server)
  const first = JSON.parse((await propose()).text).ModifyIndex
  const second = JSON.parse((await propose({ Description: 'narrow' })).text).ModifyIndex
  const promote = (cas: string) => server.send('PUT', `${path}/promote${cas}`)
  for (const cas of ['', '?cas=', '?cas=-1', '?cas=x', '?cas=99999999999999999999'])
    t.is((await promote(cas)).status, 400, cas)
  t.is((await promote(`?cas=${first}`)).status, 409)
  t.is((await put('b')).status, 200)
  const promoted = await promote(`?cas=${second}`)
  t.is(promoted.status, 200, promoted.text)
  t.like(JSON.parse(promoted.text), { ID, Description: 'narrow', Rules: NARROW })
  t.is((await put('b')).status, 403)
  t.is((await promote(`?cas=${second}`)).status, 404)
  t.is((await server.send('GET', path)).status, 404)
  t.is((await server.send('GET', `${path}/impact`)).status, 404)
  // The past keeps it.
  const past = await server.send('GET', `${path}?at=${second}`)
  t.like(JSON.parse(past.text), { Description: 'narrow', ModifyIndex: second })
})

test('a changed policy has to be proposed again; a withdrawn proposal is gone', async t => {
  const server = await serverInProcess(t)
  const { ID, path, propose } = await setUp(server)
  const { ModifyIndex } = JSON.parse((await propose()).text)
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'app', Rules: '' } })
  const outdated = await server.send('PUT', `${path}/promote?cas=${ModifyIndex}`)
  t.is(outdated.status, 409)
  t.regex(outdated.text, /changed by commit \d+ after the proposal: propose again/)
  t.is((await server.send('DELETE', path)).text, 'true')
  t.is((await server.send('DELETE', path)).status, 404)
  t.is((await propose()).status, 200)
  await server.send('DELETE', `/v1/acl/policy/${ID}`)
  t.is((await server.send('GET', '/v1/acl/policy-proposals')).text, '[]')
})

test('a token that is deleted while its long proposal is parsed proposes nothing', async t => {
  const server = await serverInProcess(t)
  const { path } = await setUp(server)
  const token = await secretWith(server, 'writer', 'acl = "write"')
  const { AccessorID } = JSON.parse((await server.send('GET', '/v1/acl/token/self', { token })).text)
  // Each part of it is a step, and other requests are handled between two.
  const Rules = 'key_prefix "proposed/" { policy = "write" }\n'.repeat(11_000)
  const proposed = server.send('PUT', path, { token, body: { Name: 'app', Rules } })
  const deleted = await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.is(deleted.status, 200)
  const { status, text } = await proposed
  t.is(status, 403, text)
  t.is((await server.send('GET', path)).status, 404)
})

test('an ended proposal is gone, and its deletion is in the log', async t => {
  const server = await serverInProcess(t)
  const { path, propose } = await setUp(server)
  await propose()
  server.advance(31 * 24 * 60 * 60_000)
  t.is((await server.send('GET', path)).status, 404)
  await until('the proposal is deleted', () => server.app.views.policyProposals.size === 0)
  await server.app.committer.durable()
  const { text } = await server.send('GET', '/v1/event/audit?topic=ACLPolicyProposal')
  t.regex(text, /ACLPolicyProposalDeleted/)
})

test('reads need acl:read and writes acl:write, before anything is looked up', async t => {
  const server = await serverInProcess(t)
  const { ID, path, token, propose } = await setUp(server)
  await propose()
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  const missing = path.replace(ID, ID.replaceAll(/[0-9a-f]/g, '1'))
  for (const one of [path, missing, '/v1/acl/policy/x/proposal']) {
    t.is((await server.send('GET', one, { token })).status, 403, one)
    t.is((await server.send('GET', `${one}/impact`, { token })).status, 403, one)
    for (const [method, below, body] of [
      ['PUT', '', { Name: 'app', Rules: NARROW }],
      ['PUT', '/promote?cas=1', undefined],
      ['DELETE', '', undefined]
    ] as const) {
      const { status, text } = await server.send(method, one + below, { token: reader, body })
      t.is(status, 403, one)
      t.regex(text, /acl:write/)
    }
  }
  t.is((await server.send('GET', '/v1/acl/policy-proposals', { token })).status, 403)
  t.is((await server.send('GET', `${path}/impact`, { token: reader })).status, 200)
  t.is((await server.send('GET', '/v1/acl/policy/x/proposal')).status, 400)
  t.is((await server.send('GET', missing)).status, 404)
})
