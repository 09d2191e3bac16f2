// What `annals log verify` finds in the small files of a log: stored checkpoints, and the files beside the segments.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { LogEvidence } from '../../../../http/wire/log-evidence.js'
import { auditedServer } from './support.js'

/** Changes one byte of a file, and returns how to put the file back. */
const damage = (path: string, at: (bytes: Buffer) => number): (() => void) => {
  const bytes = readFileSync(path)
  const changed = Buffer.from(bytes)
  const position = at(bytes)
  // A letter of Base64 or hex stays one.
  changed[position] = changed[position] === 0x41 ? 0x42 : 0x41
  writeFileSync(path, changed)
  return () => writeFileSync(path, bytes)
}

const checkpointsIn = (path: string): readonly string[] =>
  readdirSync(join(path, 'tree'))
    .filter(name => name.endsWith('.checkpoint'))
    .map(name => join(path, 'tree', name))

test('with a key every stored checkpoint is verified, and one with a bad signature fails by name', async t => {
  const { server, path, log, vkey, sign } = await auditedServer(t)
  await sign()
  await server.close()
  const good = await log('verify', '--key', vkey)
  t.is(good.code, 0, good.errors)
  const files = checkpointsIn(path)
  t.true(files.length > 1)
  t.true(good.output.includes(`the signatures hold: all ${files.length} checkpoints`), good.output)
  const places = {
    signature: (bytes: Buffer) => bytes.length - 20,
    keyId: (bytes: Buffer) => bytes.lastIndexOf(' ') + 1
  }
  for (const file of files)
    for (const [place, at] of Object.entries(places)) {
      const restore = damage(file, at)
      const { code, errors } = await log('verify', '--key', vkey)
      t.is(code, 1, `${place} of ${file}`)
      t.true(errors.includes(file), errors)
      t.regex(errors, place === 'signature' ? /signature of \S+ .* does not hold/ : /is not signed by/)
      restore()
    }
})

test('a stored checkpoint under the name of another one fails by name', async t => {
  const { server, path, log } = await auditedServer(t)
  await server.close()
  const [first = '', second = ''] = checkpointsIn(path)
  writeFileSync(second, readFileSync(first))
  const { code, errors } = await log('verify')
  t.is(code, 1)
  t.true(errors.includes(`${second}: it holds a checkpoint of`), errors)
})

test('checkpoints of a log whose signing key was replaced are verified with both keys', async t => {
  const { server, dataDir, log, vkey } = await auditedServer(t)
  await server.close()
  const next = await serverInProcess(t, {
    dataDir,
    config: { signing: { key: Buffer.alloc(32, 7).toString('base64') } }
  })
  await next.send('PUT', '/v1/kv/later', { body: 'x' })
  const { vkey: newKey, checkpoints } = next.scope.resolve(LogEvidence).required
  await checkpoints.covering(next.app.views.index)
  await next.close()
  t.not(newKey, vkey)
  const one = await log('verify', '--key', newKey)
  t.is(one.code, 1)
  t.regex(one.errors, /is not signed by/)
  const both = await log('verify', '--key', vkey, '--key', newKey)
  t.is(both.code, 0, both.errors)
})

for (const name of ['signing-key', 'meta.json', 'head', 'durable'])
  test(`a damaged ${name} is reported by name, after the proofs of the log itself`, async t => {
    const { server, path, log } = await auditedServer(t)
    await server.close()
    const file = join(path, name)
    for (const at of [0, 0.5, 0.99]) {
      const restore = damage(file, bytes => Math.floor(bytes.length * at))
      const { code, output, errors } = await log('verify')
      t.is(code, 1, `${name} at ${at}`)
      t.regex(output, /the chain holds/)
      t.true(errors.includes(`${file} `), errors)
      restore()
    }
    writeFileSync(file, '')
    const empty = await log('verify')
    t.is(empty.code, 1)
    t.true(empty.errors.includes(`${file} `), empty.errors)
  })

test('the small files of a log beside a running server hold', async t => {
  const { log, vkey } = await auditedServer(t)
  const { code, errors } = await log('verify', '--key', vkey)
  t.is(code, 0, errors)
})

test('a head file that names another commit than the log has is reported', async t => {
  const { server, path, log } = await auditedServer(t)
  const other = await auditedServer(t)
  await server.close()
  await other.server.close()
  writeFileSync(join(path, 'head'), readFileSync(join(other.path, 'head')))
  const { code, errors } = await log('verify')
  t.is(code, 1)
  t.regex(errors, /\/head belongs to log [0-9a-f]{32}/)
})
