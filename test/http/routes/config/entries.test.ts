import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { indexOf, secretWith } from '../../support.js'

const put = (server: TestServer, body: object, query = '', token?: string) =>
  server.send('PUT', `/v1/config${query}`, { body, ...(token === undefined ? {} : { token }) })
const get = (server: TestServer, path: string, token?: string) =>
  server.send('GET', `/v1/config/${path}`, token === undefined ? {} : { token })
const defaults = (Name: string, Protocol: string) => ({ Kind: 'service-defaults', Name, Protocol })
const splitter = (Name: string, ...to: string[]) => ({
  Kind: 'service-splitter',
  Name,
  Splits: to.map(Service => ({ Weight: 100 / to.length, Service }))
})

test('an entry is stored, found under any letter case, replaced and deleted', async t => {
  const server = await serverInProcess(t)
  t.is((await put(server, defaults('Web', 'HTTP'))).text, 'true')
  const first = JSON.parse((await get(server, 'service-defaults/wEb')).text)
  t.deepEqual([first.Name, first.Protocol, first.CreateIndex], ['Web', 'http', first.ModifyIndex])
  t.is((await put(server, defaults('web', 'grpc'))).text, 'true')
  const second = JSON.parse((await get(server, 'service-defaults/web')).text)
  t.is(second.CreateIndex, first.CreateIndex)
  t.true(second.ModifyIndex > first.ModifyIndex)
  t.is(second.Name, 'web')
  t.is((await server.send('DELETE', '/v1/config/service-defaults/WEB')).text, '{}')
  t.is((await get(server, 'service-defaults/web')).status, 404)
  t.is((await server.send('DELETE', '/v1/config/service-defaults/web')).text, '{}')
})

test('a deletion with cas acts only on the index of the last change', async t => {
  const server = await serverInProcess(t)
  await put(server, defaults('web', 'http'))
  const { ModifyIndex } = JSON.parse((await get(server, 'service-defaults/web')).text)
  const remove = async (cas: string) => {
    const answer = await server.send('DELETE', `/v1/config/service-defaults/web?cas=${cas}`)
    return answer.status === 200 ? answer.text : answer.status
  }
  t.is(await remove('0'), 'false')
  t.is(await remove(String(ModifyIndex + 1)), 'false')
  t.is(await remove('x'), 400)
  t.is((await get(server, 'service-defaults/web')).status, 200)
  t.is(await remove(String(ModifyIndex)), 'true')
  t.is(await remove('0'), 'true')
})

test('single entries are found, written and deleted under their own name only', async t => {
  const server = await serverInProcess(t)
  t.is((await put(server, { Kind: 'proxy-defaults', Name: 'other' })).status, 400)
  t.is((await put(server, { Kind: 'mesh', Name: 'other' })).status, 400)
  t.is((await put(server, { Kind: 'proxy-defaults' })).text, 'true')
  t.is((await put(server, { Kind: 'mesh', Name: 'mesh' })).text, 'true')
  for (const path of ['proxy-defaults/other', 'mesh/global']) {
    t.is((await server.send('DELETE', `/v1/config/${path}`)).text, '{}')
    t.is((await get(server, path)).status, 404)
  }
  t.is((await get(server, 'proxy-defaults/global')).status, 200)
  t.is((await get(server, 'mesh/mesh')).status, 200)
  t.is((await put(server, { Kind: 'mesh' }, '?ns=team-1')).status, 400)
})

test('a refused write names the entries that stand against it', async t => {
  const server = await serverInProcess(t)
  for (const name of ['web', 'a', 'b']) await put(server, defaults(name, 'http'))
  await put(server, splitter('web', 'a', 'b'))
  await put(server, {
    Kind: 'ingress-gateway',
    Name: 'edge',
    Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 'web' }] }]
  })
  const changed = await put(server, defaults('a', 'tcp'))
  t.is(changed.status, 400)
  t.regex(changed.text, /service-splitter "web"/)
  t.regex(changed.text, /service-defaults "b"/)
  const removed = await server.send('DELETE', '/v1/config/service-splitter/web')
  t.is(removed.text, '{}')
  const gateway = await put(server, defaults('web', 'grpc'))
  t.is(gateway.status, 400)
  t.regex(gateway.text, /ingress-gateway "edge"/)
  t.is(JSON.parse((await get(server, 'service-defaults/web')).text).Protocol, 'http')
})

test('proxy-defaults are refused while a chain is broken that was two steps from what changed, and only then', async t => {
  const server = await serverInProcess(t)
  const proxy = (protocol: string, round: string) =>
    put(server, { Kind: 'proxy-defaults', Config: { protocol }, Meta: { round } })
  for (const name of ['a', 'b', 'c']) await put(server, defaults(name, 'http'))
  await put(server, splitter('b', 'c'))
  await put(server, {
    Kind: 'service-router',
    Name: 'a',
    Routes: [{ Destination: { Service: 'b' } }]
  })
  t.is((await proxy('tcp', '1')).text, 'true')
  t.is((await put(server, defaults('c', 'grpc'))).text, 'true')
  const refused = await proxy('tcp', '2')
  t.is(refused.status, 400)
  t.regex(refused.text, /service-router "a"/)
  t.is((await server.send('DELETE', '/v1/config/service-router/a')).text, '{}')
  t.is((await proxy('tcp', '3')).text, 'true')
  await put(server, splitter('d', 'e'))
  t.is((await proxy('http', '4')).text, 'true')
  t.is((await put(server, splitter('d', 'e'))).text, 'true')
  t.regex((await proxy('tcp', '5')).text, /protocol "tcp" that does not permit/)
})

test('a list leaves out what may not be read, and says so to who has a token', async t => {
  const server = await serverInProcess(t)
  for (const name of ['web', 'api', 'Db']) await put(server, defaults(name, 'tcp'))
  await put(server, { Kind: 'proxy-defaults' })
  const token = await secretWith(server, 'web', 'service "web" { policy = "read" }')
  const names = (text: string) => JSON.parse(text).map((entry: { Name: string }) => entry.Name)
  const whole = await get(server, 'service-defaults')
  t.deepEqual(names(whole.text), ['api', 'Db', 'web'])
  t.is(whole.headers['x-service-results-filtered-by-acls'], undefined)
  const part = await get(server, 'service-defaults', token)
  t.deepEqual(names(part.text), ['web'])
  t.is(part.headers['x-service-results-filtered-by-acls'], 'true')
  const all = await get(server, '', token)
  t.deepEqual(names(all.text), ['global', 'web'])
  t.is((await get(server, 'service-defaults/api', token)).status, 403)
  t.is((await put(server, defaults('web', 'http'), '', token)).status, 403)
})

test('a wait for one entry ends with its own change only, also with its making and deletion', async t => {
  const server = await serverInProcess(t)
  await put(server, defaults('other', 'http'))
  const missing = await get(server, 'service-defaults/web')
  t.is(missing.status, 404)
  const made = get(server, `service-defaults/web?index=${indexOf(missing)}&wait=60s`)
  await put(server, defaults('other', 'tcp'))
  await put(server, defaults('web', 'http'))
  const first = await made
  t.is(first.status, 200)
  const gone = get(server, `service-defaults/web?index=${indexOf(first)}&wait=60s`)
  await server.send('DELETE', '/v1/config/service-defaults/web')
  t.is((await gone).status, 404)
})

test('a blocking query for a list keeps waiting when another kind or an invisible entry changes', async t => {
  const server = await serverInProcess(t)
  await put(server, defaults('web', 'http'))
  const token = await secretWith(server, 'web', 'service "web" { policy = "read" }')
  const first = await get(server, 'service-defaults', token)
  const waiting = get(server, `service-defaults?index=${indexOf(first)}&wait=60s`, token)
  await put(server, { Kind: 'proxy-defaults' })
  await put(server, defaults('hidden', 'http'))
  await put(server, defaults('web', 'grpc'))
  t.is(JSON.parse((await waiting).text)[0].Protocol, 'grpc')
})

test('entries live on after a restart', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const body = { ...splitter('web', 'a', 'b'), Meta: { team: 'x' } }
  await put(server, defaults('a', 'http'))
  await put(server, defaults('b', 'http'))
  t.is((await put(server, body)).text, 'true')
  const { text } = await get(server, 'service-splitter/web')
  await server.close()
  const again = await serverInProcess(t, { dataDir: server.settings.data_dir })
  t.is((await get(again, 'service-splitter/web')).text, text)
  const index = indexOf(await get(again, 'service-splitter/web'))
  t.is((await put(again, body)).text, 'true')
  t.is(indexOf(await get(again, 'service-splitter/web')), index)
})

test('a trial tells what would be stored and what becomes of chains, and stores nothing', async t => {
  const server = await serverInProcess(t)
  for (const name of ['web', 'a', 'b']) await put(server, defaults(name, 'http'))
  await put(server, splitter('front', 'web'))
  await put(server, defaults('front', 'http'))
  const before = indexOf(await get(server, ''))
  const answer = await put(server, splitter('web', 'a', 'b'), '?dry-run')
  t.is(answer.status, 200)
  const trial = JSON.parse(answer.text)
  t.is(trial.Outcome, 'stored')
  t.deepEqual(trial.Errors, [])
  t.is(trial.Entry.Kind, 'service-splitter')
  t.deepEqual(trial.Chains.map((one: { Service: string }) => one.Service).toSorted(), ['front', 'web'])
  const [web] = trial.Chains.filter((one: { Service: string }) => one.Service === 'web')
  t.is(web.Before.StartNode, 'resolver:web.default.dc1')
  t.is(web.After.StartNode, 'splitter:web.default')
  t.deepEqual(web.Targets.Added, ['a.default.dc1', 'b.default.dc1'])
  t.is(indexOf(await get(server, '')), before)
  t.is((await get(server, 'service-splitter/web')).status, 404)
})

test('a trial tells every error', async t => {
  const server = await serverInProcess(t)
  const routes = [
    { Match: { HTTP: { PathPrefix: 'x' } } },
    {},
    { Match: { HTTP: { Header: [{ Name: '' }] } }, Destination: { PrefixRewrite: '/' } }
  ]
  const own = JSON.parse((await put(server, { Kind: 'service-router', Routes: routes }, '?dry-run')).text)
  t.is(own.Outcome, 'refused')
  t.is(own.Errors.length, 3)
  for (const name of ['a', 'b']) {
    await put(server, defaults(name, 'http'))
    await put(server, splitter(name, name))
  }
  await put(server, { Kind: 'service-splitter', Name: 'a', Splits: [{ Weight: 100, Service: 'b' }] })
  const { Outcome, Errors, Chains } = JSON.parse((await put(server, defaults('b', 'tcp'), '?dry-run')).text)
  t.is(Outcome, 'refused')
  t.true(Errors.length >= 2, JSON.stringify(Errors))
  t.deepEqual(
    Chains.map((one: { After: unknown }) => one.After),
    [null, null]
  )
})

test('a trial says when nothing would change or cas does not hold, and needs the rights of the write', async t => {
  const server = await serverInProcess(t)
  await put(server, defaults('web', 'http'))
  const outcome = async (body: object, query: string) =>
    JSON.parse((await put(server, body, query)).text).Outcome
  t.is(await outcome(defaults('web', 'http'), '?dry-run'), 'unchanged')
  t.is(await outcome(defaults('web', 'tcp'), '?dry-run&cas=0'), 'stale')
  const elsewhere = await put(server, defaults('web', 'tcp'), '?dry-run&ns=nowhere')
  t.regex(JSON.parse(elsewhere.text).Errors[0], /"nowhere" does not exist/)
  const token = await secretWith(server, 'web', 'service "web" { policy = "read" }')
  t.is((await put(server, defaults('web', 'tcp'), '?dry-run', token)).status, 403)
  t.is((await put(server, { Kind: 'service-defaults', Nme: 'x' }, '?dry-run')).status, 400)
})

test('entries of a deleted namespace go with it, those of the whole partition stay', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('PUT', '/v1/namespace', { body: { Name: 'team-1' } })).status, 200)
  for (const body of [{ Kind: 'mesh' }, { Kind: 'proxy-defaults' }])
    t.is((await put(server, body)).text, 'true')
  t.is((await put(server, defaults('web', 'http'), '?ns=team-1')).text, 'true')
  const first = await get(server, 'service-defaults?ns=team-1')
  t.is(JSON.parse(first.text)[0].Namespace, 'team-1')
  t.is((await get(server, 'service-defaults/web')).status, 404)
  const gone = get(server, `service-defaults?ns=team-1&index=${indexOf(first)}&wait=60s`)
  t.is((await server.send('DELETE', '/v1/namespace/team-1')).status, 200)
  t.is((await gone).text, '[]')
  t.is((await get(server, 'mesh/mesh')).status, 200)
  t.is((await get(server, 'proxy-defaults/global')).status, 200)
})

test('intentions on all namespaces are written, read and deleted with ns=*', async t => {
  const server = await serverInProcess(t)
  const Sources = [{ Name: '*', Namespace: '*', Action: 'deny' }]
  const body = { Kind: 'service-intentions', Name: '*', Sources }
  t.is((await put(server, body, '?ns=*')).text, 'true')
  const path = 'service-intentions/*?ns=*'
  t.is(JSON.parse((await get(server, path)).text).Sources[0].Precedence, 1)
  const match = await server.send('GET', '/v1/connect/intentions/match?by=destination&name=web')
  t.is(JSON.parse(match.text).web[0].DestinationNS, '*')
  t.is((await put(server, defaults('web', 'http'), '?ns=*')).status, 400)
  t.is((await server.send('DELETE', `/v1/config/${path}`)).text, '{}')
  t.is((await get(server, path)).status, 404)
})

test('with compat off the letter case of field names matters, and snake case is taken all the same', async t => {
  const server = await serverInProcess(t, { config: { compat: false } })
  const refused = async (body: object, text: RegExp) => {
    const answer = await put(server, body)
    t.is(answer.status, 400, answer.text)
    t.regex(answer.text, text)
  }
  await refused({ kind: 'service-defaults', Name: 'web' }, /field "Kind" is required/)
  await refused({ Kind: 'service-defaults', name: 'web' }, /unknown field "name"/)
  await refused(
    { Kind: 'service-resolver', Name: 'web', Subsets: { v1: { filter: 'x' } } },
    /unknown field "Subsets.v1.filter"/
  )
  await refused(
    { Kind: 'service-splitter', Name: 'web', Splits: [{ weight: 100 }] },
    /unknown field "Splits\[0\].weight"/
  )
  const snake = {
    Kind: 'service-resolver',
    Name: 'web',
    default_subset: 'v1',
    Subsets: { v1: { only_passing: true } }
  }
  t.is((await put(server, snake)).text, 'true')
  const stored = JSON.parse((await get(server, 'service-resolver/web')).text)
  t.like(stored, { DefaultSubset: 'v1', Subsets: { v1: { OnlyPassing: true } } })
  const body = { overrideprotocol: 'grpc', OverrideConnectTimeout: '7s' }
  const { Chain } = JSON.parse((await server.send('POST', '/v1/discovery-chain/web', { body })).text)
  t.is(Chain.Protocol, 'tcp')
  t.is(Chain.Targets['v1.web.default.dc1'].ConnectTimeout, '7s')
})

test('all entries are listed under the path with a slash, and without it only PUT is allowed', async t => {
  const server = await serverInProcess(t)
  await put(server, defaults('web', 'http'))
  await put(server, { Kind: 'mesh' })
  for (const query of ['', '?pretty', '?ns=*']) {
    const { status, text, headers } = await server.send('GET', `/v1/config${query}`)
    t.deepEqual([status, text, headers['allow']], [405, 'method GET not allowed', 'OPTIONS,PUT'])
  }
  const { status, text } = await server.send('GET', '/v1/config/')
  t.is(status, 200)
  const [mesh, web]: readonly Record<string, unknown>[] = JSON.parse(text)
  t.like(web, { Kind: 'service-defaults', Name: 'web' })
  t.like(mesh, { Kind: 'mesh' })
  t.false(Object.hasOwn(mesh ?? {}, 'Name'))
})

test('whole numbers that JSON cannot hold exactly are refused', async t => {
  const server = await serverInProcess(t)
  const tooLarge = 2 ** 53
  const balanced = (RingHashConfig: object) => ({
    Kind: 'service-resolver',
    LoadBalancer: { Policy: 'ring_hash', RingHashConfig }
  })
  for (const entry of [
    balanced({ MinimumRingSize: tooLarge }),
    balanced({ MaximumRingSize: String(tooLarge) }),
    { Kind: 'service-defaults', Expose: { Paths: [{ ListenerPort: tooLarge }] } }
  ]) {
    const { status, text } = await put(server, { Name: 'web', ...entry })
    t.is(status, 400)
    t.regex(text, /must be a whole number from (0|-9007199254740991) to 9007199254740991/)
  }
})
