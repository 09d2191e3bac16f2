// Bodies in files: permissions, location and removal.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { BodyMemoryLimit, BodyFiles, BodyAborted } from '../../../../http/wire/bodies/request-body.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { Wire } from '../../../support/raw-connection.js'
import { secretWith } from '../../support.js'

const uploads = ({ settings }: TestServer): string => join(settings.data_dir, 'uploads')
const filesOf = (server: TestServer): readonly string[] =>
  existsSync(uploads(server)) ? readdirSync(uploads(server)) : []

const head = (token: string, ...headers: string[]): string =>
  ['PUT /v1/snapshot HTTP/1.1', 'Host: localhost', `X-Service-Token: ${token}`, ...headers, '', ''].join(
    '\r\n'
  )

test('a snapshot is refused before its body comes, where the token is unknown or may not restore it', async t => {
  const server = await serverInProcess(t)
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  for (const [token, text] of [
    ['90c7a84b-59e4-4ea2-8a35-0a2f7b8f4f8b', /ACL not found$/],
    [reader, /lacks permission 'acl:write'/],
    ['', /lacks permission 'acl:write'/]
  ] as const) {
    const wire = await Wire.open(t, server)
    wire.send(head(token, 'Content-Length: 700000000'))
    t.regex(await wire.read(text), /^HTTP\/1\.1 403 /)
    t.deepEqual(filesOf(server), [])
  }
})

test('a body on disk is encrypted and private while it arrives, and is removed with the response', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/snapshot', ['Content-Length: 200000'], 'x'.repeat(100_000))
  const sizes = () => filesOf(server).map(name => statSync(join(uploads(server), name)).size)
  await until('the first half on disk', () => (sizes()[0] ?? 0) >= 100_000)
  for (const name of filesOf(server)) {
    const path = join(uploads(server), name)
    t.is(statSync(path).mode & 0o777, 0o600)
    t.false(readFileSync(path).includes('xxxx'), 'the body is not on the disk in plain text')
  }
  wire.send('x'.repeat(100_000))
  t.regex(await wire.read(/failed to decompress snapshot: .*/), /^HTTP\/1\.1 400 /)
  await until('the end of the file', () => filesOf(server).length === 0)
  wire.request('GET /v1/status/leader', [])
  t.regex(await wire.read(/"127\.0\.0\.1:\d+"/), /HTTP\/1\.1 200 /)
})

test('a body that breaks off, and what a process before this one left, do not stay', async t => {
  const dataDir = temporaryFolder(t)
  mkdirSync(join(dataDir, 'uploads'))
  writeFileSync(join(dataDir, 'uploads/1'), 'left')
  const server = await serverInProcess(t, { dataDir })
  t.deepEqual(filesOf(server), [])
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/snapshot', ['Content-Length: 1000'], 'part')
  await until('a file', () => filesOf(server).length === 1)
  wire.reset()
  await until('the end of the file', () => filesOf(server).length === 0)
  t.is((await server.send('PUT', '/v1/snapshot', { body: 'whole' })).status, 400)
})

test('a body that breaks off before its file is made leaves none', async t => {
  const dataDir = temporaryFolder(t)
  const request = new IncomingMessage(new Socket())
  request.headers['content-length'] = '10'
  const limits = { http_body_bytes_total: 100, http_upload_bytes_total: 100 }
  const budget = new BodyMemoryLimit({ current: { limits } }, 'http_upload_bytes_total')
  const received = new BodyFiles(dataDir, budget).receive(request, {
    bytes: 100,
    setting: undefined
  })
  request.destroy()
  await t.throwsAsync(received, { instanceOf: BodyAborted })
  t.deepEqual(readdirSync(join(dataDir, 'uploads')), [])
})

test('bodies on disk have a limit together, and what they took is free again', async t => {
  const server = await serverInProcess(t, { config: { limits: { http_upload_bytes_total: 2 ** 20 } } })
  const first = await Wire.open(t, server)
  first.request('PUT /v1/snapshot', ['Content-Length: 600001'], 'x'.repeat(600_000))
  const arrived = () => filesOf(server).some(name => statSync(join(uploads(server), name)).size >= 600_000)
  await until('the first body on disk', arrived)
  const second = () => server.send('PUT', '/v1/snapshot', { body: 'y'.repeat(600_000) })
  const { status, text } = await second()
  t.is(status, 503)
  t.regex(text, /limit is 1048576 bytes \(limits\.http_upload_bytes_total\)/)
  first.reset()
  await until('room', async () => (await second()).status === 400)
})
