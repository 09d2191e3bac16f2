// Signatures of JWTs (spec: auth.md §2.1).
import test from 'ava'
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { verifiedPayload } from '../../../actors/login/signature.js'

const base64 = (text: string): string => Buffer.from(text).toString('base64url')

/** Returns a token that an RSA key of this length signed, and the key. */
const signedBy = (modulusLength: number) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
  const text = `${base64('{"alg":"RS256"}')}.${base64('{}')}`
  const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  return { token, keys: [createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))] }
}

test('an RSA key verifies from 2048 bits, and a shorter one verifies nothing', async t => {
  const long = signedBy(2048)
  t.is(await verifiedPayload(long.token, long.keys, []), '{}')
  const short = signedBy(1024)
  t.is(await verifiedPayload(short.token, short.keys, []), undefined)
})
