import { get } from 'node:http'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import test from 'ava'
import { codingFor, type Coding } from '../../../http/wire/response-writer.js'
import { serverInProcess, ROOT } from '../../support/server.js'
import { createPolicy } from '../support.js'

test('an answer goes in the coding that the client prefers', t => {
  const offers: readonly (readonly [string | undefined, Coding | undefined])[] = [
    ['gzip', 'gzip'],
    ['deflate, gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br , gzip ;q=1', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip;q=0.5, zstd', 'zstd'],
    ['zstd;q=0.5, gzip;q=0.9', 'gzip'],
    ['zstd;q=0, gzip', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['gzip ; q=0.0', undefined],
    ['xgzip', undefined],
    ['br', undefined],
    ['', undefined],
    [undefined, undefined]
  ]
  for (const [offer, coding] of offers) t.is(codingFor(offer), coding, offer)
})

test('a large answer goes compressed to a client that asks for it, and is the same', async t => {
  const server = await serverInProcess(t)
  const rules = `# ${'x'.repeat(5000)}`
  const id = await createPolicy(server, 'large', rules)
  const plain = await server.send('GET', `/v1/acl/policy/${id}`)
  t.is(plain.headers['content-encoding'], undefined)
  const url = `${server.base}/v1/acl/policy/${id}`
  const packed = await fetch(url, { headers: { 'X-Service-Token': ROOT, 'Accept-Encoding': 'gzip' } })
  t.is(packed.headers.get('content-encoding'), 'gzip')
  t.is(await packed.text(), plain.text)
  t.is(gunzipSync(await bytesOf(url, 'gzip')).toString(), plain.text)
  t.is(zstdDecompressSync(await bytesOf(url, 'zstd')).toString(), plain.text)
  const self = `${server.base}/v1/acl/token/self`
  const small = await fetch(self, { headers: { 'X-Service-Token': ROOT, 'Accept-Encoding': 'gzip' } })
  t.is(small.headers.get('content-encoding'), null)
})

test('a list of megabytes goes compressed whole', async t => {
  const server = await serverInProcess(t)
  for (const key of ['a', 'b', 'c', 'd'])
    t.is((await server.send('PUT', `/v1/kv/large/${key}`, { body: key.repeat(500_000) })).status, 200)
  const plain = await server.send('GET', '/v1/kv/large/?recurse')
  t.true(plain.text.length > 2 ** 21)
  const url = `${server.base}/v1/kv/large/?recurse`
  t.is(gunzipSync(await bytesOf(url, 'gzip')).toString(), plain.text)
  t.is(zstdDecompressSync(await bytesOf(url, 'zstd')).toString(), plain.text)
})

/** Returns the encoded bytes. */
const bytesOf = (url: string, coding: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'X-Service-Token': ROOT, 'Accept-Encoding': coding } }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks)))
    }).on('error', reject)
  })
