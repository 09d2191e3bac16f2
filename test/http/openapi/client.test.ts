// A client generated from the description compiles and works (generated-client/).
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { projectRoot } from '../../support/process.js'
import { ROOT, serverInProcess } from '../../support/server.js'

const client = join(projectRoot, 'generated-client')
const build = join(client, 'build')
/** Runs a program of Node to its end, and gives what it prints. @throws Error with its output when it fails */
const run = async (...command: readonly string[]): Promise<string> => {
  try {
    return (await promisify(execFile)(process.execPath, command, { cwd: client })).stdout
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
    throw new Error(`${command.join(' ')} failed: ${output}`, { cause: error })
  }
}

test('a client with types of openapi-typescript writes and reads a key, a token and a configuration entry, and their events', async t => {
  const server = await serverInProcess(t)
  mkdirSync(build, { recursive: true })
  writeFileSync(join(build, 'openapi.json'), (await server.send('GET', '/v1/openapi.json')).text)
  const generator = join(client, 'node_modules/openapi-typescript/bin/cli.js')
  await run(generator, 'build/openapi.json', '--output', 'build/api.d.ts')
  await run(join(projectRoot, 'node_modules/typescript/bin/tsc'), '--project', '.')
  t.deepEqual(JSON.parse(await run('build/program.js', server.base, ROOT)), {
    isWritten: true,
    value: 'ODA4MA==',
    flags: 42,
    names: ['web/port'],
    raw: '8080',
    identities: ['web'],
    denied: 403,
    timeout: '3s',
    polled: ['KV web/port'],
    streamed: 1,
    datacenters: ['dc2']
  })
})
