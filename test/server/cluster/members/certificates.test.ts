// Servers that know each other by their certificates, without a secret.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { appendFileSync, copyFileSync, readFileSync } from 'node:fs'
import { Agent, request as open } from 'node:https'
import test, { type ExecutionContext } from 'ava'
import { FORWARDED_HEADER, serverProof } from '../../../../server/cluster/members/server-proof.js'
import { Authority, type CertificateFiles } from '../../../support/certificate.js'
import { ROOT, type TestServer, type TestServerOptions } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { SECRET } from './hand-made-port.js'
import { pairOfServers, type Pair } from './pair.js'

const FROM = { id: '5f0a', node: 'server 2.a', address: '203.0.113.9' }
const PUT = { method: 'PUT', url: '/v1/kv/a' }
const NO_SECRET = { secret: undefined }

/** A server that shows these certificates, to clients and to other servers. */
const knownBy = (ca: Authority, own: CertificateFiles, http: object = {}): TestServerOptions => ({
  config: {
    ports: { http: 0, https: 0, dns: -1 },
    encryption: { key: SECRET.export().toString('base64') },
    tls: { http: { ...own, ...http } },
    cluster: {
      enabled: true,
      etcd: { endpoints: ['http://127.0.0.1:1'] },
      tls: { ca_file: ca.file, ...own }
    }
  }
})

/** Both with certificates of one CA, and reached by TLS. */
const certified = async (t: ExecutionContext, ca: Authority, http: object = {}) => {
  const [first, second] = [knownBy(ca, await ca.sign(), http), knownBy(ca, await ca.sign(), http)]
  return reachedByTls(await pairOfServers(t, first, second, NO_SECRET))
}

const reachedByTls = (pair: Pair): Pair => {
  const { leader, ofFollower } = pair
  ofFollower.change('following', {
    id: leader.settings.node_id,
    address: `https://localhost:${leader.httpsPort}`
  })
  return pair
}

/** Sends a write in the name of another server, over a connection of its own. */
const put = (
  { httpsPort, clock }: TestServer,
  shown: CertificateFiles | undefined,
  secret?: KeyObject
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const identity = shown && { cert: readFileSync(shown.cert_file), key: readFileSync(shown.key_file) }
    const proof = serverProof(secret, PUT, FROM, clock.now())
    const request = open(
      {
        port: httpsPort,
        method: PUT.method,
        path: PUT.url,
        headers: { 'X-Service-Token': ROOT, [FORWARDED_HEADER]: proof },
        agent: new Agent({ keepAlive: false }),
        rejectUnauthorized: false,
        ...identity
      },
      response => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (piece: string) => (text += piece))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      }
    )
    request.on('error', reject)
    request.end('1')
  })

const audited = async (server: TestServer): Promise<string> =>
  (await server.send('GET', '/v1/event/audit?topic=KV')).text

test('servers with certificates of the cluster need no secret, and what they say of a request is believed', async t => {
  const ca = await Authority.create(t)
  const { leader, follower } = await certified(t, ca)
  t.is((await follower.send('PUT', '/v1/kv/forwarded', { body: '1' })).status, 200)
  t.is((await put(leader, await ca.sign())).status, 200)
  t.regex(await audited(leader), /"Address":"203\.0\.113\.9"/)
  t.is((await leader.send('GET', '/v1/kv/forwarded?raw')).text, '1')
})

test('who signs for the CA of the cluster counts where its file names it, too', async t => {
  const ca = await Authority.create(t)
  const between = await ca.intermediate(t)
  const [own, unknown] = [await between.sign(), await (await ca.intermediate(t)).sign()]
  appendFileSync(ca.file, between.certificate)
  const pair = await pairOfServers(t, knownBy(ca, own), knownBy(ca, await between.sign()), NO_SECRET)
  const { leader, follower } = reachedByTls(pair)
  for (const key of ['a', 'b'])
    t.is((await follower.send('PUT', `/v1/kv/${key}`, { body: '1' })).text, 'true')
  t.is((await put(leader, await ca.sign())).status, 200)
  t.is((await put(leader, unknown)).status, 403)
})

test('without such a certificate nothing is believed, and nothing is done', async t => {
  const [ca, other] = [await Authority.create(t), await Authority.create(t)]
  const { leader } = await certified(t, ca)
  const { index } = leader.app.views
  for (const [shown, secret, why] of [
    [undefined, undefined, /its connection shows no certificate$/],
    [undefined, SECRET, /its connection shows no certificate$/],
    [undefined, createSecretKey(Buffer.alloc(0)), /its connection shows no certificate$/],
    [await other.sign(), undefined, /certificate of its connection is not valid: /],
    [await ca.sign({ days: -1 }), undefined, /certificate of its connection is not valid: CERT_HAS_EXPIRED$/]
  ] as const) {
    const { status, text } = await put(leader, shown, secret)
    t.is(status, 403)
    t.regex(text, /^X-Annals-Forwarded proves nothing: /)
    t.regex(text, why)
  }
  const { status, text } = await leader.send('PUT', PUT.url, {
    body: '1',
    headers: { [FORWARDED_HEADER]: serverProof(undefined, PUT, FROM, leader.clock.now()) }
  })
  t.is(status, 403)
  t.regex(text, /its connection shows no certificate$/)
  t.is(leader.app.views.index, index)
})

test('a client certificate does not identify a server, even if its authority has the same name', async t => {
  const [ca, ofClients] = [await Authority.create(t), await Authority.create(t)]
  const { leader, follower } = await certified(t, ca, { ca_file: ofClients.file, verify_incoming: true })
  const client = await ofClients.sign()
  const refused = await put(leader, client)
  t.is(refused.status, 403)
  t.regex(refused.text, /the certificate of its connection is not signed by one of cluster\.tls\.ca_file$/)
  await t.throwsAsync(put(leader, undefined))
  t.is((await follower.send('PUT', '/v1/kv/b', { body: '1' })).status, 200)
})

test('a certificate that expires while its connection is open is no longer valid', async t => {
  const ca = await Authority.create(t)
  const { leader, follower } = await certified(t, ca)
  t.is((await follower.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
  const DAY = 86_400_000
  leader.setClockBy(3 * DAY)
  follower.setClockBy(3 * DAY)
  const { status, text } = await follower.send('PUT', '/v1/kv/a', { body: '2' })
  t.is(status, 403)
  t.regex(text, /the certificate of its connection has expired/)
})

test('a signature is enough where there is a secret besides, and a wrong one is not', async t => {
  const ca = await Authority.create(t)
  const [first, second] = [knownBy(ca, await ca.sign()), knownBy(ca, await ca.sign())]
  const { leader } = await pairOfServers(t, first, second)
  t.is((await put(leader, undefined, SECRET)).status, 200)
  t.is((await put(leader, await ca.sign(), createSecretKey(Buffer.alloc(32, 9)))).status, 200)
  const { status, text } = await put(leader, undefined, createSecretKey(Buffer.alloc(32, 9)))
  t.is(status, 403)
  t.regex(text, /another secret/)
})

test('a new CA in the same file replaces the previous one', async t => {
  const [ca, next] = [await Authority.create(t), await Authority.create(t)]
  const { leader } = await certified(t, ca)
  const [previousCertificate, newCertificate] = [await ca.sign(), await next.sign()]
  t.is((await put(leader, previousCertificate)).status, 200)
  t.is((await put(leader, newCertificate)).status, 403)
  copyFileSync(next.file, ca.file)
  await until('the new CA', async () => (await put(leader, newCertificate)).status === 200)
  t.is((await put(leader, previousCertificate)).status, 403)
})
