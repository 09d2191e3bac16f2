// `annals debug` against a server.
import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { extract } from 'tar-stream'
import { LogLines } from '../../../server/telemetry/logging/lines.js'
import { createLogger } from '../../../server/telemetry/logging/logger.js'
import { Profiles } from '../../../http/routes/agent/profiles.js'
import { LOGGER, SETTINGS } from '../../../server/settings/ports.js'
import { annals } from '../../support/command-line.js'
import { temporaryFolder } from '../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { stillClock } from '../../server/cluster/datacenters/support.js'
import { createToken, secretWith } from '../../http/support.js'

/** A server whose clock is the test's, and which logs each request to those who follow the log. */
const start = (t: ExecutionContext): Promise<TestServer> =>
  serverInProcess(t, {
    clock: stillClock(),
    config: { log: { level: 'debug' } },
    register: scope => {
      const logger = createLogger(scope.resolve(SETTINGS), { write: () => {} }, scope.resolve(LogLines))
      scope.registerInstance(LOGGER, logger)
    }
  })

/** The files of a bundle by their names, without the folder that they stand in. */
const filesIn = async (file: string): Promise<Readonly<Record<string, string>>> => {
  const files: Record<string, string> = {}
  const tar = extract()
  const read = (async () => {
    for await (const entry of tar)
      files[entry.header.name.replace(/^annals-debug-\d{8}T\d{6}Z\//, '')] = await text(entry)
  })()
  await pipeline(createReadStream(file), createGunzip(), tar)
  await read
  return files
}

const envOf = (server: TestServer, token = ROOT) => ({
  ANNALS_HTTP_ADDR: server.base,
  ANNALS_HTTP_TOKEN: token
})

test.serial(
  'a bundle has all that the server tells, for the time that is asked for, and no secret',
  async t => {
    const server = await start(t)
    const { taken } = server.scope.resolve(Profiles)
    const output = join(temporaryFolder(t), 'debug.tar.gz')
    const ended = annals(['debug', '-duration', '30s', '-output', output], envOf(server))
    await until(
      'the profiles and the log are taken',
      () => taken.size === 2 && server.app.logLines.size === 1
    )
    await server.send('PUT', '/v1/kv/meanwhile', { body: 'v' })
    server.advance(30_000)
    const { code, output: shown, errors } = await ended
    t.deepEqual([code, errors], [0, ''])
    t.true(shown.startsWith(`Written:  ${output}\n`))
    t.is(statSync(output).mode & 0o777, 0o600)
    const files = await filesIn(output)
    const wanted =
      `agent.json configuration.json cpu.cpuprofile health.json heap.heapprofile host.json log.ndjson members.json
metrics-after.prom metrics-before.prom servers.json`.split(/\s/)
    t.deepEqual(Object.keys(files), [
      'index.json',
      ...Object.keys(files).filter(name => name !== 'index.json')
    ])
    const index = JSON.parse(files['index.json'] ?? '')
    t.like(index, { File: output, Address: server.base, Seconds: 30, LeftOut: {} })
    t.deepEqual(index.Files, wanted)
    t.deepEqual(Object.keys(files).toSorted(), [...wanted, 'index.json'].toSorted())
    t.true(files['log.ndjson']?.includes('/v1/kv/meanwhile'))
    const indexIn = (file: string): number =>
      Number(/^annals_durable_index (\d+)$/m.exec(files[file] ?? '')?.[1])
    t.is(indexIn('metrics-after.prom'), indexIn('metrics-before.prom') + 1)
    t.true(JSON.parse(files['cpu.cpuprofile'] ?? '').nodes.length > 0)
    t.like(JSON.parse(files['configuration.json'] ?? ''), { datacenter: 'dc1' })
    for (const content of Object.values(files)) t.false(content.includes(ROOT))
  }
)

test.serial(
  'what the token may not have is left out and named, and a file that is there is not written over',
  async t => {
    const server = await start(t)
    const output = join(temporaryFolder(t), 'debug.tar.gz')
    const secret = await secretWith(server, 'agent', 'agent_prefix "" { policy = "read" }')
    const parts = ['-capture', 'agent', '-capture', 'configuration', '-capture', 'cpu']
    const args = ['debug', '-output', output, ...parts]
    const { code, output: shown, errors } = await annals(args, envOf(server, secret))
    t.is(code, 1)
    t.regex(
      errors,
      /^annals: not everything was captured: Permission denied: .* lacks permission 'operator:read'/
    )
    t.regex(shown, /^Without configuration: +Permission denied/m)
    t.regex(shown, /^Without cpu: +Permission denied/m)
    t.deepEqual(Object.keys(await filesIn(output)), ['index.json', 'agent.json'])
    const again = await annals(args, envOf(server, secret))
    t.deepEqual([again.code, again.errors], [1, `annals: ${output} is there already\n`])
  }
)

test('nothing is written if every capture fails or the duration is invalid', async t => {
  const server = await start(t)
  const { SecretID } = await createToken(server)
  const { code, errors } = await annals(['debug', '-capture', 'host'], envOf(server, SecretID))
  t.is(code, 1)
  t.regex(errors, /^annals: nothing was captured: Permission denied/)
  const wrong = await annals(['debug', '--duration', '90s'], envOf(server))
  t.is(wrong.code, 1)
  t.is(wrong.errors, 'annals: --duration must be whole seconds from 1s to 60s, such as 10s\n')
})
