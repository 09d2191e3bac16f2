// What the primary tells other datacenters, and whom (GET /v1/internal/replication).
import { OWN_LOG } from '../../../../server/settings/ports.js'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import {
  parseFeedMessage,
  type FeedMessage
} from '../../../../server/cluster/replication/replication-messages.js'
import { newNonce, lineDecryption } from '../../../../server/cluster/replication/encrypted-lines.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { serverWithWorker } from '../../../support/worker.js'
import { SERVER_FILES, tlsFile } from '../../../http/wire/tls/support.js'
import { caughtUp, put } from './support.js'

const KEY = Buffer.alloc(32, 7)
const KEYS = { replication: { key: KEY.toString('base64') } }
const PATH = '/v1/internal/replication'

const primary = (t: ExecutionContext, config: object = KEYS): Promise<TestServer> =>
  serverInProcess(t, { config: { datacenters: { dc2: { url: 'http://127.0.0.1:1' } }, ...config } })

/** The messages of the feed, one after the other, as far as they are asked for. */
const read = async (
  t: ExecutionContext,
  { base }: Pick<TestServer, 'base'>,
  query = 'tokens'
): Promise<() => Promise<FeedMessage>> => {
  const nonce = newNonce()
  const request = get(`${base}${PATH}?nonce=${nonce}&${query}`, { headers: { 'X-Service-Token': ROOT } })
  t.teardown(() => void request.destroy())
  const [answer]: IncomingMessage[] = await once(request, 'response')
  if (!answer) throw new Error('there was no answer')
  t.is(answer.statusCode, 200)
  const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
  const open = lineDecryption(KEY, nonce)
  return async () => {
    const { value } = await lines.next()
    return parseFeedMessage(open(String(value)))
  }
}

test('everything comes first, sealed and with secrets, and then each change', async t => {
  const server = await primary(t)
  const token = await put(server, '/v1/acl/token', { Description: 'x' })
  const next = await read(t, server)
  const begin = await next()
  if (begin.Kind !== 'Begin') return t.fail()
  t.true(begin.Snapshot && begin.WithTokens)
  const seen: unknown[] = []
  for (let message = await next(); message.Kind === 'Things'; message = await next())
    seen.push(...message.Things)
  t.true(JSON.stringify(seen).includes(String(token['SecretID'])))
  await put(server, '/v1/acl/policy', { Name: 'later', Rules: '' })
  const later = await next()
  t.like(later, { Kind: 'Commits', Index: begin.Index + 1 })
  t.true(later.Kind === 'Commits' && later.Changes.length === 1)

  const { Log, Incarnation, Index, Hash } = begin
  const of = `log=${Log}&incarnation=${Incarnation}`
  const again = await read(t, server, `${of}&after=${Index}&hash=${Hash}`)
  t.like(await again(), { Kind: 'Begin', Snapshot: false, WithTokens: false, Index, Hash })
  t.like(await again(), { Kind: 'Commits', Index: Index + 1 })
  const otherHash = '0'.repeat(64)
  for (const query of [
    `${of}&after=${Index + 100}&hash=${Hash}`,
    `${of}&after=${Index}&hash=${otherHash}`,
    `log=${Log}&incarnation=9&after=${Index}&hash=${Hash}`
  ]) {
    const restarted = await read(t, server, query)
    t.like(await restarted(), { Kind: 'Begin', Snapshot: true })
  }
})

test('it ends when the token is not valid any more', async t => {
  const server = await primary(t)
  const made = await put(server, '/v1/acl/token', { Policies: [{ Name: 'global-management' }] })
  const [nonce, headers] = [newNonce(), { 'X-Service-Token': String(made['SecretID']) }]
  const answer = await fetch(`${server.base}${PATH}?tokens&nonce=${nonce}`, { headers })
  t.is(answer.status, 200)
  await server.send('DELETE', `/v1/acl/token/${String(made['AccessorID'])}`)
  const open = lineDecryption(KEY, nonce)
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map(line => open(line))
  t.false(lines.some(line => line.includes('ACLTokenDeleted')))
})

test('secrets are not sent as they are, and nothing to who lacks the right', async t => {
  const server = await primary(t)
  const ask = (query: string, token: string | undefined = ROOT) =>
    server.send('GET', `${PATH}?${query}`, { token })
  t.regex((await ask('tokens')).text, /sent only encrypted with replication\.key/)
  t.is((await ask('tokens')).status, 403)
  t.is((await ask('nonce=x')).status, 400)
  t.is((await ask(`nonce=${newNonce()}&log=a&incarnation=1&after=x&hash=${'0'.repeat(64)}`)).status, 400)
  t.is((await ask(`nonce=${newNonce()}&log=a&incarnation=1&after=1&hash=x`)).status, 400)
  const anonymous = await ask(`nonce=${newNonce()}`, 'anonymous')
  t.is(anonymous.status, 403)
  t.regex(anonymous.text, /acl:read/)
  const keyless = await primary(t, {})
  t.regex((await keyless.send('GET', `${PATH}?nonce=${newNonce()}`)).text, /replication\.key is not set/)
  const alone = await serverInProcess(t)
  t.is((await alone.send('GET', PATH)).status, 404)
})

test('without a key both sides prove by certificates who they are', async t => {
  const ca = tlsFile('ca.pem')
  const dc1 = await primary(t, {
    ports: { http: 0, https: 0, dns: -1 },
    tls: { http: { ...SERVER_FILES, ca_file: ca, verify_incoming: true } }
  })
  const url = `https://127.0.0.1:${dc1.httpsPort}`
  const remote = { url, token: ROOT, ca_file: ca, server_name: 'localhost', ...SERVER_FILES }
  const config = { datacenter: 'dc2', primary_datacenter: 'dc1', datacenters: { dc1: remote } }
  const dc2 = await serverInProcess(t, { config })
  const token = await put(dc1, '/v1/acl/token', { Description: 'x' })
  await caughtUp(dc1, dc2)
  t.is(dc2.app.views.tokens.get(String(token['AccessorID']))?.secret, String(token['SecretID']))
})

test('a worker of the primary tells what comes to it', async t => {
  const { main, worker } = await serverWithWorker(t, {
    config: { datacenters: { dc2: { url: 'http://127.0.0.1:1' } }, ...KEYS }
  })
  await put(main, '/v1/acl/policy', { Name: 'before', Rules: '' })
  const next = await read(t, worker)
  t.like(await next(), { Kind: 'Begin', Snapshot: true, Log: main.scope.resolve(OWN_LOG).identity.id })
  let message = await next()
  while (message.Kind === 'Things') message = await next()
  t.is(message.Kind, 'Whole')
  await put(main, '/v1/acl/policy', { Name: 'later', Rules: '' })
  const later = await next()
  t.true(later.Kind === 'Commits' && JSON.stringify(later.Changes).includes('later'))
})
