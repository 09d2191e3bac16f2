// Machines that are network namespaces of Linux, joined by a bridge; each has a second link to the tests alone.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { freePort, type Scope } from '../../support/process.js'
import { skip } from '../../support/programs.js'
import type { ExecutionContext } from 'ava'
import type { Machine, Network } from './machine.js'

/** Names begin with it, followed by the process that created them. */
const PREFIX = 'annals'
/** A hardware address that no machine has: what is sent there is lost. */
const UNUSED_ADDRESS = '02:00:00:00:00:fe'

/** Runs `ip`. @throws Error with what it says */
const ip = (...args: readonly string[]): string => {
  const { status, stdout, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}

/**
 * Whether network namespaces cannot be made here; the test is over then, with a word about it. Tests that need none are
 * those of test/cluster/quick.test.ts: there the servers share one machine, with gates between them.
 */
export const lacksNamespaces = (t: ExecutionContext): boolean => {
  const name = `${PREFIX}-${process.pid}-try-${randomInt(1e6)}`
  const { status } = spawnSync('ip', ['netns', 'add', name])
  if (status === 0) {
    ip('netns', 'del', name)
    return false
  }
  skip(t, 'network namespaces need root and `ip`')
  return true
}

/** Removes what a run that was broken off has left. */
const sweep = (): void => {
  for (const line of ip('netns', 'list').split('\n')) {
    const [, name, pid] = new RegExp(`^(${PREFIX}-(\\d+)-\\S+)`).exec(line) ?? []
    if (name !== undefined && !existsSync(`/proc/${pid}`)) spawnSync('ip', ['netns', 'del', name])
  }
}

/** The first two numbers of a network of this machine that nothing uses. */
const freeNetwork = (): string => {
  const used = Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => address))
  for (;;) {
    const network = `10.${randomInt(64, 250)}.${randomInt(1, 250)}`
    if (!used.some(address => address.startsWith(`${network}.`))) return network
  }
}

/** Machines with a network of their own. They end with the scope. @throws Error where the system does not allow it */
export const namespaceNetwork = (scope: Scope, count: number): Network => {
  sweep()
  const tag = `${process.pid}-${randomInt(36 ** 4).toString(36)}`
  const hub = `${PREFIX}-${tag}-hub`
  const toTests = freeNetwork()
  const namespace = (name: string): void => {
    ip('netns', 'add', name)
    scope.teardown(() => void ip('netns', 'del', name))
    ip('-n', name, 'link', 'set', 'lo', 'up')
  }
  namespace(hub)
  ip('-n', hub, 'link', 'add', 'name', 'hub', 'type', 'bridge')
  ip('-n', hub, 'link', 'set', 'hub', 'up')
  const machines = Array.from({ length: count }, (_, at): Machine => {
    const name = `${PREFIX}-${tag}-${at + 1}`
    const [address, port, link] = [
      `192.168.77.${at + 1}`,
      `p${at + 1}`,
      `an${randomInt(36 ** 6).toString(36)}`
    ]
    const [hostAddress, testAddress] = [`${toTests}.${4 * at + 1}`, `${toTests}.${4 * at + 2}`]
    namespace(name)
    ip('-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', port, 'netns', hub)
    ip('-n', hub, 'link', 'set', port, 'master', 'hub', 'up')
    ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
    ip('-n', name, 'link', 'set', 'eth0', 'up')
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'tests', 'netns', name)
    ip('address', 'add', `${hostAddress}/30`, 'dev', link)
    ip('link', 'set', link, 'up')
    ip('-n', name, 'address', 'add', `${testAddress}/30`, 'dev', 'tests')
    ip('-n', name, 'link', 'set', 'tests', 'up')
    return { name, address, testAddress, hostAddress, enter: ['ip', 'netns', 'exec', name], freePort }
  })
  const portOf = (machine: Machine): string => `p${machines.indexOf(machine) + 1}`
  return {
    machines,
    cutOff: machine => void ip('-n', hub, 'link', 'set', portOf(machine), 'nomaster'),
    reconnect: machine => void ip('-n', hub, 'link', 'set', portOf(machine), 'master', 'hub'),
    lose: (from, to) =>
      void ip(
        '-n',
        from.name,
        'neigh',
        'replace',
        to.address,
        'lladdr',
        UNUSED_ADDRESS,
        'dev',
        'eth0',
        'nud',
        'permanent'
      ),
    restore: (from, to) => void ip('-n', from.name, 'neigh', 'del', to.address, 'dev', 'eth0')
  }
}
