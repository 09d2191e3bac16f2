// What a server tells systemd, by way of a program that writes down what it is called with.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startServer, temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'

/** A stand-in for systemd: a shell command that runs a server as its service, and the notifications. */
const systemd = (t: ExecutionContext, variables: string) => {
  const folder = temporaryFolder(t)
  const notifications = join(folder, 'notifications')
  writeFileSync(notifications, '')
  const program = join(folder, 'systemd-notify')
  writeFileSync(program, `#!/bin/sh\necho "$@" >> '${notifications}'\n`)
  chmodSync(program, 0o755)
  const shell = `export PATH="${folder}:$PATH" NOTIFY_SOCKET=/run/systemd/notify ${variables}`
  return { shell, notifications: () => readFileSync(notifications, 'utf8').split('\n').slice(0, -1) }
}

test('systemd is notified that the server listens, lives and ends', async t => {
  const { shell, notifications } = systemd(t, 'WATCHDOG_USEC=20000 WATCHDOG_PID=$$')
  const server = await startServer(t, { shell })
  await until(
    'there are signs of life',
    () => notifications().filter(line => line === 'WATCHDOG=1').length > 2
  )
  t.regex(
    notifications()[0] ?? '',
    new RegExp(`^READY=1 STATUS=http ${server.base}, https off, dns 127.0.0.1:`)
  )
  await server.stop()
  await until('it has heard of the end', () => notifications().includes('STOPPING=1'))
})

test('signs of life that another process is to give are not given', async t => {
  const { shell, notifications } = systemd(t, 'WATCHDOG_USEC=20000 WATCHDOG_PID=1')
  const server = await startServer(t, { shell })
  await until('it is ready', () => notifications().length > 0)
  await server.stop()
  await until('it has heard of the end', () => notifications().includes('STOPPING=1'))
  t.is(notifications().length, 2)
})

test('a server continues if systemd cannot be notified', async t => {
  const server = await startServer(t, { shell: 'export NOTIFY_SOCKET=/nowhere/notify' })
  await until('it has said so', () => server.log().includes('systemd cannot be notified'))
  await t.notThrowsAsync(server.stop())
})
