import { gunzipSync } from 'node:zlib'
import test from 'ava'
import { wantsGzip } from '../../../http/wire/gzip.js'
import { serverInProcess, ROOT } from '../../support/server.js'
import { createPolicy } from '../support.js'

test('gzip is for those who offer it, and for bodies that are worth it', t => {
  const offers = ['gzip', 'deflate, gzip', 'GZIP;q=0.5', 'br , gzip ;q=1']
  for (const offer of offers) t.true(wantsGzip(offer, 1400), offer)
  for (const offer of [undefined, '', 'br', 'gzip;q=0', 'xgzip', 'gzip ; q=0.0'])
    t.false(wantsGzip(offer, 5000), offer)
  t.false(wantsGzip('gzip', 1399))
})

test('a large answer goes compressed to a client that offers gzip, and is the same', async t => {
  const server = await serverInProcess(t)
  const rules = `# ${'x'.repeat(5000)}`
  const id = await createPolicy(server, 'large', rules)
  const plain = await server.send('GET', `/v1/acl/policy/${id}`)
  t.is(plain.headers['content-encoding'], undefined)
  const packed = await fetch(`${server.base}/v1/acl/policy/${id}`, {
    headers: { 'X-Service-Token': ROOT, 'Accept-Encoding': 'gzip' }
  })
  t.is(packed.headers.get('content-encoding'), 'gzip')
  t.is(await packed.text(), plain.text)
  t.is(gunzipSync(Buffer.from(await bytesOf(`${server.base}/v1/acl/policy/${id}`))).toString(), plain.text)
})

/** The bytes as they come, not unpacked. */
const bytesOf = async (url: string): Promise<Buffer> => {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'X-Service-Token': ROOT, 'Accept-Encoding': 'gzip' } }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks)))
    }).on('error', reject)
  })
}
