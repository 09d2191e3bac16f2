// A server that has pruned its oldest commits, and its publication with payloads.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { ErasureProcess } from '../../actors/erasure/erasure-process.js'
import { Connection } from '../../clients/typescript/connection.js'
import { noteSigner, parseVkey } from '../../events/log/evidence/note-keys.js'
import { openCheckpoint } from '../../events/log/evidence/signed-checkpoint.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { LogEvidence } from '../../http/wire/log-evidence.js'
import { Views } from '../../projections/read-models.js'
import { recordSource, serverFiles } from '../../server/commands/server-source.js'
import { payloadCipher, type PayloadCipher } from '../../server/publication/payload-cipher.js'
import { MANIFEST_FILE, manifestOrigin, openManifest } from '../../server/publication/payload-manifest.js'
import { PayloadPublisher } from '../../server/publication/payload-publisher.js'
import { folderFiles } from '../../server/publication/public-files.js'
import { type PublicationTarget } from '../../server/publication/published-folder.js'
import { Publisher } from '../../server/publication/publisher.js'
import { publishedSource, type ReplicaSource } from '../../server/replica/replica-source.js'
import { logFolder } from '../../server/settings/settings.js'
import { temporaryFolder } from './process.js'
import { ROOT, serverInProcess, type TestServer } from './server.js'
import { pem } from './stub-provider.js'
import { until } from './wait.js'

const cipher = payloadCipher(Buffer.alloc(32, 8))
export const CUSTOMER = 'the name of a customer'
export const LARGE_VALUE = 'x'.repeat(100_000)
const MANIFEST_KEY = Buffer.alloc(32, 7)
export const SECRETS = [
  '7d0c1a8f-3c5a-4f0e-9d39-b1a6c7de2e55',
  'e30.c2VjcmV0LW9mLWEtbG9naW4.AA',
  `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  'the-password-of-a-check'
]

export const stored = (value: string): string => Buffer.from(value).toString('base64')

/** Writes resources of several kinds, with secrets, and then enough that their commits are pruned after a restart. */
export const prunedServer = async (t: ExecutionContext) => {
  const dataDir = join(temporaryFolder(t), 'data')
  const start = async (config: Readonly<Record<string, unknown>>): Promise<TestServer> => {
    const log = await SegmentEventLog.open({ path: logFolder(dataDir), segmentBytes: 1024 * 1024 })
    return serverInProcess(t, { dataDir, log, config })
  }
  const first = await start({})
  const written = async (path: string, body: unknown, method = 'PUT'): Promise<void> => {
    const { status, text } = await first.send(method, path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'X-Service-Idempotency-Key': path }
    })
    t.is(status, 200, text)
  }
  const [secret, login, webhook, password] = SECRETS
  await written('/v1/acl/policy', { Name: 'web', Rules: 'key_prefix "web/" { policy = "read" }' })
  await written('/v1/acl/token', { SecretID: secret, Policies: [{ Name: 'web' }] })
  await written('/v1/acl/auth-method', {
    Name: 'cluster',
    Type: 'kubernetes',
    Config: { Host: 'https://127.0.0.1:1', CACert: pem('ca.pem'), ServiceAccountJWT: login }
  })
  await written('/v1/event/cursor/hook', {
    Topics: ['KV'],
    URL: 'https://hooks.example/',
    Secret: webhook
  })
  await written('/v1/catalog/register', {
    Node: 'n1',
    Address: '10.0.0.1',
    Checks: [
      {
        CheckID: 'c1',
        Name: 'c1',
        Definition: { HTTP: 'http://10.0.0.1/', Header: { Authorization: [password] }, Interval: '10s' }
      }
    ]
  })
  await written('/v1/kv/web/port', '8080')
  await written('/v1/kv/customers/4711', CUSTOMER)
  for (let i = 0; i < 40; i++)
    await first.send('PUT', `/v1/kv/large/${i % 2}`, { body: `${i}${LARGE_VALUE}` })
  await first.close()
  const server = await start({
    log: { level: 'silent', retain: { commits: 10 } },
    // The webhook is never delivered.
    cursor: { max_held: 0 }
  })
  await until('the oldest commits are pruned', () => server.app.log.firstIndex > 20)
  const { checkpoints, vkey } = server.scope.resolve(LogEvidence).required
  const signed = async (): Promise<number> => {
    const { durableIndex } = server.app.log
    await checkpoints.covering(durableIndex)
    return durableIndex
  }
  await signed()
  const note = (await server.send('GET', '/v1/event/checkpoint')).text
  const { head } = openCheckpoint(Buffer.from(note), { log: [parseVkey(vkey)] })
  const signer = noteSigner(manifestOrigin(head.origin), MANIFEST_KEY)
  const connection = new Connection({ address: server.base, token: ROOT })
  const publishTo = async (target: PublicationTarget, by: PayloadCipher = cipher): Promise<void> => {
    const payloads = new PayloadPublisher({
      source: recordSource(connection),
      target,
      cipher: by,
      signerOf: () => signer
    })
    await new Publisher({
      source: serverFiles(connection),
      target,
      keys: [parseVkey(vkey)],
      payloads
    }).publish()
  }
  const sourceIn = (folder: string, by: PayloadCipher = cipher): ReplicaSource =>
    publishedSource(folderFiles(folder), { manifestKey: signer.key, cipher: by })
  const manifestIn = (folder: string) => openManifest(readFileSync(join(folder, MANIFEST_FILE)), signer.key)
  return { server, vkey, signed, publishTo, sourceIn, manifestIn }
}

export const erased = async (server: TestServer, body: object): Promise<void> => {
  const { status, text } = await server.send('POST', '/v1/event/erase', {
    body: { Reason: 'request', ...body }
  })
  if (status !== 200) throw new Error(text)
  const work = server.scope.resolve(ErasureProcess)
  await until('the erasure is done', async () => {
    await work.idle()
    return server.app.views.erasures.list.every(({ key }) => work.stateOf(key).state === 'done')
  })
}

/** The state in the form of snapshots, without secrets and stored responses. */
const publicState = (views: Views): readonly string[] =>
  [...views.dump()]
    .filter(row => !JSON.stringify(row).startsWith('["keptAnswers.keys"'))
    .map(row => JSON.stringify(row, (key, value: unknown) => (key === 'Secrets' ? undefined : value)))
    // Tokens are in the order of their secrets.
    .toSorted()

/** Compares the states as soon as the replica shows all of its source. @param signed has the source sign, and publish, what it has */
export const sameState = async (
  t: ExecutionContext,
  actual: Views,
  expected: Views,
  signed: () => Promise<unknown>
): Promise<void> => {
  // Deliveries of the webhook may still be recorded.
  await until('the replica shows all', async () => {
    await signed()
    return actual.index === expected.index
  })
  const [rows, others] = [publicState(actual), publicState(expected)]
  t.is(rows.length, others.length)
  const at = rows.findIndex((row, position) => row !== others[position])
  t.is(rows[at]?.slice(0, 500), others[at]?.slice(0, 500))
}
