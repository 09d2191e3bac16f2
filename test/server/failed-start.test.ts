// A server that cannot begin: it says why, ends with 1, and holds nothing afterwards.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { openLog } from '../../server/open-log.js'
import { startServer as startInProcess } from '../../server/running-server.js'
import { loadSettings } from '../../server/settings/load.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { freePort, runProgram, startServer, temporaryFolder, type Scope } from '../support/process.js'
import { DISK_TIMEOUT_MS } from '../support/server.js'

/** A TCP port that is taken until the scope ends. */
const takenTcp = async (t: Scope): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** A port that is taken for UDP alone until the scope ends. */
const takenUdp = async (t: Scope): Promise<number> => {
  const socket = createSocket('udp4')
  t.teardown(() => void socket.close())
  // It must be free for TCP.
  socket.bind(await freePort(), '127.0.0.1')
  await once(socket, 'listening')
  return socket.address().port
}

test('with the port of HTTP taken the program ends with 1, says so in a line, and frees its data folder', async t => {
  const port = await takenTcp(t)
  const data = join(temporaryFolder(t), 'data')
  const flags = ['--data-dir', data, '--log-level', 'silent', '--http-port', String(port), '--dns-port', '-1']
  const { code, output } = await runProgram(['serve', ...flags])
  t.is(code, 1, output)
  t.is(
    output,
    `annals: HTTP cannot listen on 127.0.0.1 port ${port}: the port is taken (EADDRINUSE); see addresses.http and ports.http\n`
  )
  // The next one finds neither a lock nor a server.
  const next = await startServer(t, { dataDir: data })
  await next.stop()
})

test('with a file in place of its data folder the program ends with 1, and says so in a line', async t => {
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, '')
  const { code, output } = await runProgram(['serve', '--data-dir', file, '--log-level', 'silent'])
  t.is(code, 1, output)
  t.is(
    output,
    `annals: the data folder ${file} (data_dir) cannot be created: EEXIST: file already exists, mkdir '${file}'\n`
  )
})

for (const { what, take } of [
  { what: 'TCP', take: takenTcp },
  { what: 'UDP', take: takenUdp }
])
  test(`a server in process whose port of DNS over ${what} is taken closes its log and all that it opened`, async t => {
    const port = await take(t)
    const data = join(temporaryFolder(t), 'data')
    const flags = { 'data-dir': data, 'http-port': '0', 'dns-port': String(port), 'log-level': 'silent' }
    const live = new LiveSettings(() => loadSettings({ env: {}, flags }))
    const open = () => openLog(live.current, { patience: DISK_TIMEOUT_MS })
    await t.throwsAsync(startInProcess(live, await open()), {
      name: 'ListenError',
      message: `DNS over ${what} cannot listen on 127.0.0.1 port ${port}: the port is taken (EADDRINUSE); see addresses.dns and ports.dns`
    })
    // It can be opened again, which it cannot twice in a process.
    const log = await open()
    await log.close()
  })
