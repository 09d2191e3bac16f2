// Certificates of machines in the last year of their authority, over a store in memory.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import test, { type ExecutionContext } from 'ava'
import { renewCertificates } from '../../../../server/cluster/etcd/certificate-renewal.js'
import { createAuthority, createRequest, signRequest } from '../../../../server/cluster/etcd/certificates.js'
import { storeAuthority, type CertifiedKey } from '../../../../server/cluster/etcd/cluster-authority.js'
import { testSettings } from '../../../support/server.js'
import { temporaryFolder } from '../../../support/process.js'
import { memoryStore } from './memory-store.js'

const DAY = 86_400_000
const YEAR = 365 * DAY
const NOW = Date.now()
const KEY = Buffer.alloc(32, 7).toString('base64')

interface Files {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

const read = ({ ca, cert, key }: Files): Files => ({
  ca: readFileSync(ca, 'utf8'),
  cert: readFileSync(cert, 'utf8'),
  key: readFileSync(key, 'utf8')
})

/** A machine whose certificate an authority has signed. */
const machineOf = async (t: ExecutionContext, authority: CertifiedKey) => {
  const folder = temporaryFolder(t)
  const { key, request } = await createRequest('one')
  const certificate = await signRequest(authority, request, 'one', ['127.0.0.1', 'one'])
  const files = { ca: join(folder, 'ca.pem'), cert: join(folder, 'server.pem'), key: join(folder, 'key') }
  writeFileSync(files.ca, authority.certificate)
  writeFileSync(files.cert, certificate + authority.certificate)
  writeFileSync(files.key, key)
  const settings = testSettings(t)
  const etcd = { ...settings.cluster.etcd, ca_file: files.ca, cert_file: files.cert, key_file: files.key }
  return {
    files,
    settings: { ...settings, encryption: { key: KEY }, cluster: { ...settings.cluster, etcd } }
  }
}

/** A machine, and the authority in the store, which was created years ago. */
const begun = async (t: ExecutionContext, years: number) => {
  const authority = await createAuthority(NOW - years * YEAR)
  const machine = await machineOf(t, authority)
  const store = memoryStore()
  t.true(await storeAuthority(machine.settings, store, authority))
  return { authority, store, ...machine }
}

/** Connects a client with a certificate to a server with one. @throws Error if one rejects the other */
const connects = async (server: Files, client: Files): Promise<void> => {
  const listening = createServer({ ...server, requestCert: true, rejectUnauthorized: true }, socket =>
    socket.end('welcome')
  ).listen(0, '127.0.0.1')
  try {
    await once(listening, 'listening')
    const { port } = listening.address() as AddressInfo
    const socket = connect({ ...client, host: '127.0.0.1', port })
    await once(socket, 'data')
  } finally {
    listening.close()
  }
}

test('in its last year an authority is renewed, and machines with the former and the renewed one accept each other', async t => {
  const { files, store, settings } = await begun(t, 9.5)
  const former = read(files)
  t.true(await renewCertificates(settings, store, NOW))
  const renewed = read(files)
  for (const [text, before] of [
    [renewed.ca, former.ca],
    [renewed.cert, former.cert]
  ]) {
    const certificate = new X509Certificate(text ?? '')
    t.true(Date.parse(certificate.validTo) > NOW + 9 * YEAR)
    t.deepEqual(certificate.publicKey, new X509Certificate(before ?? '').publicKey)
  }
  t.is(renewed.key, former.key)
  t.is(new X509Certificate(renewed.cert).checkIP('127.0.0.1'), '127.0.0.1')
  t.is(new X509Certificate(renewed.cert).checkHost('one'), 'one')
  for (const server of [former, renewed])
    for (const client of [former, renewed]) await t.notThrowsAsync(connects(server, client))
  t.false(await renewCertificates(settings, store, NOW))
  t.deepEqual(read(files), renewed)
})

test('machines that renew at the same time agree on one authority', async t => {
  const { authority, store, files, settings } = await begun(t, 9.5)
  const other = await machineOf(t, authority)
  const renewals = [settings, other.settings].map(each => renewCertificates(each, store, NOW))
  t.deepEqual(await Promise.all(renewals), [true, true])
  t.is(read(files).ca, read(other.files).ca)
  t.false(await renewCertificates(settings, store, NOW))
})

test('before its last year nothing is renewed, and never the files of another authority', async t => {
  const early = await begun(t, 8)
  const untouched = read(early.files)
  t.false(await renewCertificates(early.settings, early.store, NOW))
  t.deepEqual(read(early.files), untouched)

  const { settings, files, store } = await begun(t, 9.5)
  const foreign = await machineOf(t, await createAuthority(NOW - 9.5 * YEAR))
  const before = read(foreign.files)
  t.false(await renewCertificates(foreign.settings, store, NOW))
  t.deepEqual(read(foreign.files), before)
  const added = read(files).ca + before.ca
  writeFileSync(files.ca, added)
  t.true(await renewCertificates(settings, store, NOW))
  t.is(read(files).ca, added)
})
