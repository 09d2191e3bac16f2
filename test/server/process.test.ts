// The built program as its operator sees it: how it ends, and how it refuses to start.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import test from 'ava'
import { send } from '../support/client.js'
import { program, projectRoot, runProgram, startServer, temporaryFolder } from '../support/process.js'
import { serverInProcess } from '../support/server.js'
import { until } from '../support/wait.js'

test('SIGTERM answers what is in flight, ends with 0, and leaves a state that the log proves, and no secret', async t => {
  const server = await startServer(t)
  const token = await server.bootstrap()
  const list = await send(server.base, 'GET', '/v1/acl/tokens', { token })
  const waiting = send(
    server.base,
    'GET',
    `/v1/acl/tokens?index=${String(list.headers['x-service-index'])}`,
    { token }
  )
  // A write whose last byte comes after the signal.
  const body = JSON.stringify({ Description: 'in flight' })
  const slow = connect(server.port, '127.0.0.1')
  await once(slow, 'connect')
  const head = `PUT /v1/acl/token HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${token}\r\nContent-Length: ${body.length}\r\n\r\n`
  slow.write(head + body.slice(0, 5))
  const written = textOf(slow)
  // Its start has arrived when a request sent after it is answered.
  await send(server.base, 'GET', '/v1/status/leader')
  const ended = server.stop()
  t.is((await waiting).status, 200)
  slow.write(body.slice(5))
  t.regex(await written, /^HTTP\/1\.1 200 [\s\S]*in flight/)
  await ended
  const { code, output } = await runProgram(['log', 'verify', '--replay', '--data-dir', server.dataDir])
  t.is(code, 0, output)
  t.regex(output, /replay\(log\) = state/)

  t.false(server.log().includes(token))
  t.false(server.log().includes('"msg":"request'), 'requests are logged at level debug')
  t.false(readFileSync(join(server.dataDir, 'checkpoint.json'), 'utf8').includes(token))

  const again = await serverInProcess(t, { dataDir: server.dataDir })
  const found = await send(again.base, 'GET', '/v1/acl/tokens', { token })
  t.true(found.text.includes('in flight'))
  await again.close()
})

test('SIGINT ends the server like SIGTERM, and a monitor whose reader takes nothing does not hold up the end', async t => {
  const server = await startServer(t, { acl: 'off' })
  const reader = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => reader.destroy())
  reader.write('GET /v1/agent/monitor HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(reader, 'readable')
  process.kill(server.pid, 'SIGINT')
  await server.stop()
  t.regex(server.log(), /ending/)
})

test('SIGQUIT ends the server like SIGTERM, and a silent connection does not hold up the end', async t => {
  const server = await startServer(t)
  const silent = connect(server.port, '127.0.0.1')
  await once(silent, 'connect')
  const closed = once(silent, 'close')
  // The server has accepted the connection when it answers on a later one.
  await send(server.base, 'GET', '/v1/status/leader', { agent: new Agent() })
  process.kill(server.pid, 'SIGQUIT')
  await server.stop()
  await closed
  t.true(existsSync(join(server.dataDir, 'checkpoint.json')))
})

test('SIGHUP rereads the configuration, other signals change nothing, and the log says so', async t => {
  const config = { log: { level: 'info' }, recursors: ['192.0.2.1'] }
  const server = await startServer(t, { config })
  const original = readFileSync(server.config, 'utf8')
  const reread = async (text: string, line: string): Promise<string> => {
    writeFileSync(server.config, text)
    process.kill(server.pid, 'SIGHUP')
    return until(line, () =>
      server
        .log()
        .split('\n')
        .find(logged => logged.includes(line))
    )
  }
  t.regex(
    await reread('{ "recursors": "none" }', 'the configuration is unchanged'),
    /recursors, given in file/
  )
  const changed = original
    .replace('192.0.2.1', '192.0.2.2')
    .replace('"domain": "consul"', '"domain": "other"')
  t.regex(await reread(changed, 'was reread'), /"changed":\["recursors"\]/)
  t.regex(await reread(changed, 'need a restart'), /"keys":\["domain"\]/)
  for (const signal of ['SIGUSR1', 'SIGUSR2']) {
    process.kill(server.pid, signal)
    await until(`${signal} is logged`, () => server.log().includes(signal))
  }
  t.is((await send(server.base, 'GET', '/v1/status/leader')).status, 200)
  await server.stop()
  t.false(server.log().includes('Debugger'))
})

test('a second server on one data folder ends with a message that says so', async t => {
  const server = await startServer(t)
  const { code, output } = await runProgram([
    'serve',
    '--data-dir',
    server.dataDir,
    '--http-port',
    '0',
    '--dns-port',
    '-1'
  ])
  t.is(code, 1)
  t.regex(output, /^annals: .*(another|already|in use).*\n$/s)
  t.true(output.includes(server.dataDir))
  t.is((await send(server.base, 'GET', '/v1/status/leader')).status, 200)
})

test('npm start hands SIGTERM on to the server, and ends as it does', async t => {
  const environment = { ANNALS_DATA_DIR: temporaryFolder(t), ANNALS_PORTS_HTTP: '0', ANNALS_PORTS_DNS: '-1' }
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: projectRoot,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore']
  })
  t.teardown(() => npm.kill('SIGKILL'))
  // Standard output is closed when neither npm nor the server is there any more.
  const ended = once(npm, 'close')
  let log = ''
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (log += text))
  await until('the server listens', () => log.includes('annals is listening'))
  npm.kill('SIGTERM')
  t.deepEqual(await ended, [0, null])
  t.regex(log, /ending/)
})

test('an output that cannot be written is named in a line', async t => {
  const full = openSync('/dev/full', 'w')
  const command = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  const errors = command.stderr ? textOf(command.stderr) : ''
  t.deepEqual(await once(command, 'exit'), [1, null])
  t.is(await errors, 'annals: the output cannot be written: ENOSPC: no space left on device, write\n')
})
