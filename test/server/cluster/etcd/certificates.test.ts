import { createPrivateKey, X509Certificate } from 'node:crypto'
import test from 'ava'
import {
  createAuthority,
  createRequest,
  fingerprintOf,
  keyOfRequest,
  signRequest
} from '../../../../server/cluster/etcd/certificates.js'
import { parseVersion, versionWarning } from '../../../../server/cluster/etcd/etcd-program.js'

test('an authority signs the request of a machine for its addresses', async t => {
  const authority = await createAuthority()
  const { key, request } = await createRequest('two')
  const text = await signRequest(authority, request, 'two', ['10.0.0.2', 'two'])
  const certificate = new X509Certificate(text)
  const issuer = new X509Certificate(authority.certificate)
  t.true(issuer.ca)
  t.false(certificate.ca)
  t.true(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
  t.true(certificate.checkPrivateKey(createPrivateKey(key)))
  t.is(certificate.checkIP('10.0.0.2'), '10.0.0.2')
  t.is(certificate.checkHost('two'), 'two')
  t.is(certificate.checkIP('10.0.0.3'), undefined)
  t.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  t.is(fingerprintOf(authority.certificate).length, 43)
})

test('a request whose signature is wrong is refused', async t => {
  const { request } = await createRequest('two')
  t.regex((await keyOfRequest(request)) ?? '', /^[0-9a-f]{64}$/)
  const lines = request.trim().split('\n')
  const last = lines.length - 2
  const line = lines[last] ?? ''
  lines[last] = (line.startsWith('A') ? 'B' : 'A') + line.slice(1)
  for (const wrong of ['', 'x', lines.join('\n')]) t.is(await keyOfRequest(wrong), undefined)
})

test('versions of etcd with known defects cause a warning', t => {
  const warningOf = (text: string) => {
    const version = parseVersion(text)
    return version && versionWarning(version)
  }
  t.regex(warningOf('etcd Version: 3.4.23') ?? '', /3\.4\.23 can lose watch events/)
  t.regex(warningOf('3.5.12') ?? '', /3\.5\.12/)
  for (const sound of ['3.4.31', '3.5.13', '3.6.0']) t.is(warningOf(sound), undefined, sound)
  t.is(parseVersion('none'), undefined)
})
