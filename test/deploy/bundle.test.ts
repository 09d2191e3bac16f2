// The folder that runs without npm.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { programVersion } from '../../events/version.js'
import { send } from '../support/client.js'
import { projectRoot, startServer, temporaryFolder } from '../support/process.js'
import { until } from '../support/wait.js'

const run = promisify(execFile)

test('the bundle runs with the Node in it, and its server starts the processes that it needs', async t => {
  const folder = join(temporaryFolder(t), 'annals')
  await run(process.execPath, [join(projectRoot, 'deploy/bundle.mjs'), folder])
  const { stdout } = await run(join(folder, 'bin/annals'), ['version'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' }
  })
  t.is(stdout, `annals ${programVersion()} (node ${process.version})\n`)

  const server = await startServer(t, {
    node: join(folder, 'lib/node'),
    main: join(folder, 'lib/program/server/main.js'),
    config: { workers: 1 }
  })
  await until('its worker listens', () => server.log().includes('a worker is listening'))
  const token = await server.bootstrap()
  t.is((await send(server.base, 'PUT', '/v1/kv/a', { token, body: '1' })).status, 200)
  t.is((await send(server.base, 'GET', '/readyz')).status, 200)
  await server.stop()
})
