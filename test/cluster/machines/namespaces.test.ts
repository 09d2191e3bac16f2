// Machines that are network namespaces: what is sent between them is lost when it should be, and what tests send never is.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { lacksNamespaces, namespaceNetwork } from './namespaces.js'
import { startProgram } from './machine.js'

const PORT = 4000
const LISTENER = `require('node:net').createServer().listen(${PORT}, () => console.log('listens'))`

/** Whether a machine can open a connection to an address; one that is silent is given half a second. */
const reaches = (enter: readonly string[], address: string, port = PORT): boolean => {
  const script = `exec 3<>/dev/tcp/${address}/${port}`
  const command = [...enter, 'timeout', '0.5', 'bash', '-c', script]
  return spawnSync('env', command, { stdio: 'ignore' }).status === 0
}

test('machines reach each other until one is cut off, or loses what it sends', async t => {
  if (lacksNamespaces(t)) return
  const { machines, ...network } = namespaceNetwork(t, 3)
  const [one, two, three] = machines
  if (!one || !two || !three) return t.fail()
  const folder = temporaryFolder(t)
  const listeners = machines.map(machine =>
    startProgram(t, machine, [process.execPath, '-e', LISTENER], { log: join(folder, machine.name) })
  )
  for (const listener of listeners) await until('a machine listens', () => listener.log().includes('listens'))
  t.true(reaches(one.enter, two.address))
  network.cutOff(two)
  t.false(reaches(one.enter, two.address))
  t.true(reaches(one.enter, three.address))
  t.true(reaches([], two.testAddress))
  network.reconnect(two)
  t.true(reaches(one.enter, two.address))
  network.lose(one, two)
  t.false(reaches(one.enter, two.address))
  t.true(reaches(one.enter, three.address))
  network.restore(one, two)
  t.true(reaches(one.enter, two.address))

  const [program] = listeners
  t.is(program?.ended(), undefined)
  program?.signal('SIGKILL')
  t.is(await program?.exit, 'SIGKILL')
})
