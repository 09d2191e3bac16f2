// `annals watch` while what it watches changes.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'ava'
import { annals } from '../../support/command-line.js'
import { program, temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { ROOT, serverInProcess } from '../../support/server.js'

/** Appends its input to a file, and writes the key again. */
const PROGRAM = `
import { appendFileSync, readFileSync } from 'node:fs'
const [seen, url, token] = process.argv.slice(2)
const { Value } = JSON.parse(readFileSync(0, 'utf8'))
const value = Buffer.from(Value, 'base64').toString()
appendFileSync(seen, \`\${value}\\n\`)
await fetch(url, { method: 'PUT', headers: { 'X-Service-Token': token }, body: String(Number(value) + 1) })
`

test('the program runs again for what has changed while it ran', async t => {
  const server = await serverInProcess(t)
  const folder = temporaryFolder(t)
  const [script, seen] = [join(folder, 'program.mjs'), join(folder, 'seen')]
  writeFileSync(script, PROGRAM)
  const env = {
    ANNALS_HTTP_ADDR: server.base,
    ANNALS_HTTP_TOKEN: ROOT,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  }
  await annals(['kv', 'put', 'count', '1'], env)
  const command = ['node', script, seen, `${server.base}/v1/kv/count`, ROOT]
  const ended = await annals(['watch', '-type', 'key', '-key', 'count', '-limit', '3', '--', ...command], env)
  t.deepEqual(ended, { code: 0, output: '', errors: '' })
  t.is(readFileSync(seen, 'utf8'), '1\n2\n3\n')
})

test('a read with --watch waits for a missing key, prints each change, and ends by Ctrl-C', async t => {
  const server = await serverInProcess(t)
  const env = { ANNALS_HTTP_ADDR: server.base, ANNALS_HTTP_TOKEN: ROOT }
  const child = spawn(process.execPath, [program, 'kv', 'get', 'web/port', '--watch'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  await until('the missing key is reported', () => output.includes('web/port'))
  await annals(['kv', 'put', 'web/port', '8080'], env)
  await until('the first value is printed', () => output.endsWith('\n8080\n'))
  await annals(['kv', 'put', 'web/host', 'a'], env)
  await annals(['kv', 'put', 'web/port', '8081'], env)
  await until('the second value is printed', () => output.endsWith('\n8080\n8081\n'))
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  t.is(code, 0)
})

test('a read with --watch fails as it does without, unless the resource is missing', async t => {
  const server = await serverInProcess(t)
  const env = { ANNALS_HTTP_ADDR: server.base, ANNALS_HTTP_TOKEN: 'none' }
  const { code, errors } = await annals(['kv', 'get', 'web/port', '--watch'], env)
  t.is(code, 1)
  t.regex(errors, /^annals: /)
})
