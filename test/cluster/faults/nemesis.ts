// Random faults, one after another, until it is stopped.
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../support/random.js'
import type { NetworkCluster } from './fault-test.js'

/** How long a fault lasts, and how long all is well after it, in ms; at most. */
const LASTS = 5000
const RESTS = 4000

interface Nemesis {
  /** What was done so far. */
  readonly done: readonly string[]
  /** Undoes what is being done. Resolves when all servers answer. */
  stop(): Promise<void>
}

/** Begins at once. */
export const startNemesis = (cluster: NetworkCluster, random: Random): Nemesis => {
  const { network, etcd, servers } = cluster
  const done: string[] = []
  const ended = new AbortController()
  const wait = async (most: number): Promise<void> => {
    await pause(500 + random.below(most), undefined, { signal: ended.signal }).catch(() => {})
  }
  const any = <T>(list: readonly T[]): T => {
    const one = list[random.below(list.length)]
    if (one === undefined) throw new Error('nothing to choose from')
    return one
  }
  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'a server is killed': async () => {
      const server = any(servers)
      await server.kill()
      await wait(LASTS)
      server.start()
    },
    'a server is stopped in order': async () => {
      const server = any(servers)
      // One that has only just begun does not listen to SIGTERM yet.
      await server.ready()
      await server.stop()
      server.start()
      await wait(LASTS)
    },
    'a server stands still': async () => {
      const server = any(servers)
      server.signal('SIGSTOP')
      await wait(LASTS)
      server.signal('SIGCONT')
    },
    'a machine is cut off': async () => {
      const { machine } = any(servers)
      network.cutOff(machine)
      await wait(LASTS)
      network.reconnect(machine)
    },
    'what one machine sends to another is lost': async () => {
      const from = any(servers).machine
      const to = any(servers.filter(({ machine }) => machine !== from)).machine
      network.lose(from, to)
      await wait(LASTS)
      network.restore(from, to)
    },
    'a member of etcd is killed': async () => {
      const member = any(etcd.members)
      await member.kill()
      await wait(LASTS)
      member.start()
    },
    'a member of etcd stands still': async () => {
      const member = any(etcd.members)
      member.signal('SIGSTOP')
      await wait(LASTS)
      member.signal('SIGCONT')
    }
  }
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const name = any(Object.keys(faults))
      done.push(name)
      await faults[name]?.()
      await wait(RESTS)
    }
    for (const server of servers) await server.ready()
  }
  const running = run()
  return {
    done,
    stop: async () => {
      ended.abort()
      await running
    }
  }
}
