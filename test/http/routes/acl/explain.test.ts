import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { createPolicy, createToken, secretWith } from '../../support.js'

test('every denial can be fed to the explanation as it is', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(server, 'reader', 'acl = "read"')
  const token = await createToken(server, { Policies: [{ ID }] })
  const denied = await server.send('PUT', '/v1/acl/policy', { token: token.SecretID, body: { Name: 'x' } })
  t.is(denied.status, 403)
  const { status, text } = await server.send('POST', '/v1/acl/explain', { body: { Denial: denied.text } })
  t.is(status, 200)
  t.like(JSON.parse(text), {
    Allowed: false,
    DecidedBy: 'rule',
    AccessorID: token.AccessorID,
    Resource: 'acl',
    Access: 'write',
    Rule: { Text: 'acl', Level: 'read', Line: 1, Column: 1 },
    Source: { Kind: 'policy', ID, Name: 'reader', Links: [{ Kind: 'token' }] }
  })
})

test('the denials of the event stream are explained by the rights that a whole topic needs', async t => {
  const server = await serverInProcess(t)
  const rules = [
    'node_prefix "" { policy = "read" }',
    'node "hidden" { policy = "deny" }',
    'session_prefix "" { policy = "read" }',
    'key_prefix "" { policy = "read" }',
    'service_prefix "" { policy = "read" }',
    'service "secret" { policy = "deny" }'
  ].join('\n')
  const secret = await secretWith(server, 'some', rules)
  const topics = [
    '',
    'topic=Node',
    'topic=Service',
    'topic=Job',
    'topic=Service:secret',
    'topic=KV&namespace=*',
    'topic=KV&partition=*',
    'topic=Session&namespace=*',
    'topic=Node&namespace=*',
    'topic=PreparedQuery',
    'topic=ConfigEntry',
    'topic=Operator'
  ]
  const reasons: string[] = []
  for (const topic of topics) {
    const denied = await server.send('GET', `/v1/event/stream?${topic}`, { token: secret })
    t.is(denied.status, 403, topic)
    const { status, text } = await server.send('POST', '/v1/acl/explain', { body: { Denial: denied.text } })
    t.is(status, 200, `${denied.text}: ${text}`)
    t.false(JSON.parse(text).Allowed, denied.text)
    reasons.push(JSON.parse(text).Reason)
  }
  t.regex(reasons[1] ?? '', /rule node "hidden" in line 2 .* does not grant node:read on everything/)
  t.regex(reasons[4] ?? '', /rule service "secret" in line 6/)
  t.regex(reasons[5] ?? '', /No rule of the token concerns key:read in every namespace/)
})

test('what a transaction denies in another namespace is explained there', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const secret = await secretWith(server, 'keys', 'key_prefix "" { policy = "write" }')
  const body = [{ KV: { Verb: 'set', Key: 'a', Value: '', Namespace: 'team' } }]
  const denied = await server.send('PUT', '/v1/txn', { token: secret, body })
  t.is(denied.status, 409)
  const [{ What }] = JSON.parse(denied.text).Errors
  t.regex(What, /lacks permission 'key:write' on "a" in namespace "team"/)
  const { text } = await server.send('POST', '/v1/acl/explain', { body: { Denial: What } })
  t.like(JSON.parse(text), { Allowed: false, DecidedBy: 'default policy', Namespace: 'team' })
})

test('a rule by which a namespace defaults is named with its way there', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(server, 'keys', '# all\nkey_prefix "" { policy = "read" }')
  const role = JSON.parse(
    (await server.send('PUT', '/v1/acl/role', { body: { Name: 'r', Policies: [{ ID }] } })).text
  )
  await server.send('PUT', '/v1/namespace', {
    body: { Name: 'team', ACLs: { PolicyDefaults: [{ ID }], RoleDefaults: [{ ID: role.ID }] } }
  })
  const token = JSON.parse((await server.send('PUT', '/v1/acl/token?ns=team', { body: {} })).text)
  const explained = async (Access: string) => {
    const body = { AccessorID: token.AccessorID, Resource: 'key', Segment: 'x', Access, Namespace: 'team' }
    return JSON.parse((await server.send('POST', '/v1/acl/explain', { body })).text)
  }
  const Source = {
    Kind: 'policy',
    ID,
    Name: 'keys',
    Links: [{ Kind: 'namespace default' }, { Kind: 'role of a namespace default', ID: role.ID, Name: 'r' }]
  }
  t.like(await explained('read'), { Allowed: true, Rule: { Text: 'key_prefix ""', Line: 2 }, Source })
  t.like(await explained('write'), { Allowed: false, DecidedBy: 'rule', Source })
  const written = await server.send('PUT', '/v1/kv/x?ns=team', { token: token.SecretID, body: {} })
  t.is(written.status, 403)
  const { text } = await server.send('POST', '/v1/acl/explain', { body: { Denial: written.text } })
  t.like(JSON.parse(text), { Allowed: false, Source })
})

test('a token is named by secret or accessor, the question as in the authorize endpoint', async t => {
  const server = await serverInProcess(t)
  const token = await createToken(server, { ServiceIdentities: [{ ServiceName: 'web' }] })
  const question = { Resource: 'service', Access: 'write', Segment: 'web' }
  for (const who of [{ Token: token.SecretID }, { AccessorID: token.AccessorID.toUpperCase() }]) {
    const { text } = await server.send('POST', '/v1/acl/explain', { body: { ...who, ...question } })
    t.like(JSON.parse(text), { Allowed: true, Source: { Kind: 'service identity', Name: 'web' } })
  }
  const refused = async (body: object, status: number, reason: RegExp) => {
    const answer = await server.send('POST', '/v1/acl/explain', { body })
    t.is(answer.status, status)
    t.regex(answer.text, reason)
  }
  await refused(question, 400, /one of Token and AccessorID must be given/)
  await refused({ Denial: 'no' }, 400, /Denial must be the text of a 403/)
  await refused({ AccessorID: token.AccessorID, Resource: 'x' }, 400, /Invalid ACL resource requested: "x"/)
  await refused({ Token: 'unknown', ...question }, 403, /^ACL not found$/)
})

test('a token may explain its own denials, and no others', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'mine', 'key "a" { policy = "read" }')
  const explained = async (Denial: string, secret: string | undefined) => {
    const { status, text } = await server.send('POST', '/v1/acl/explain', { token: secret, body: { Denial } })
    return { status, text }
  }
  const { text: own } = await server.send('PUT', '/v1/kv/a', { body: '1', token })
  const { status, text } = await explained(own, token)
  t.is(status, 200, text)
  t.like(JSON.parse(text), { Allowed: false, Resource: 'key', Access: 'write', Segment: 'a' })
  const other = await secretWith(server, 'other', '')
  t.is((await explained(own, other)).status, 403)
  const { text: anonymous } = await server.send('PUT', '/v1/kv/a', { body: '1', token: undefined })
  for (const secret of [token, undefined]) t.is((await explained(anonymous, secret)).status, 403)
})

test('explaining what another token may do needs acl:read', async t => {
  const server = await serverInProcess(t)
  const secret = await secretWith(server, 'operator', 'operator = "write"')
  const body = { Token: await secretWith(server, 'other', ''), Resource: 'acl', Access: 'read' }
  const { status, text } = await server.send('POST', '/v1/acl/explain', { token: secret, body })
  t.is(status, 403)
  t.regex(text, /lacks permission 'acl:read'/)
})

test('rules are checked without being stored: what they mean, and what has no effect', async t => {
  const server = await serverInProcess(t)
  const validated = async (Rules: string) =>
    JSON.parse((await server.send('POST', '/v1/acl/policy/validate', { body: { Rules } })).text)
  const Rules =
    'key_prefix "a/" {\n  policy = "list"\n  colour = "red"\n}\nsentinel { }\nservice "x" { policy = "read" intentions = "write" }'
  t.deepEqual(await validated(Rules), {
    Valid: true,
    Rules: [
      { Text: 'key_prefix "a/"', Level: 'list', Line: 1, Column: 12 },
      { Text: 'service "x"', Level: 'read', Intentions: 'write', Line: 6, Column: 9 }
    ],
    Errors: [],
    Warnings: [
      { Message: 'unknown setting colour of key_prefix "a/" has no effect', Line: 3, Column: 3 },
      { Message: 'unknown rule sentinel has no effect', Line: 5, Column: 1 }
    ]
  })
  const bad = await validated('acl = "read"\nkey "a" { policy = "rad" }')
  t.false(bad.Valid)
  t.is(bad.Errors.length, 1)
  t.like(bad.Errors[0], { Line: 2, Column: 20 })
  t.regex(bad.Errors[0].Message, /"rad" of key "a" is not one of deny, read, list, write/)
})
