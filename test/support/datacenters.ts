// Servers of several datacenters in this process, each with its own folder and all with one clock. Requests between them pass
// through proxies that can be held or shut.
import type { SetClock } from '../../library/testing/set-clock.js'
import type { Scope } from './process.js'
import { serverInProcess, type TestServer, type TestServerOptions } from './server.js'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js'
import { UnsuspendedClock } from './unsuspended-clock.js'
import { until } from './wait.js'

const KEY = Buffer.alloc(32, 9).toString('base64')

export interface Datacenter extends TestServer {
  readonly name: string
  /** The proxy for requests from other datacenters. */
  readonly gate: TcpProxy
}

export interface DatacentersOptions {
  /** The names, with the primary first; default: `dc1`, `dc2` and `dc3`. */
  readonly names?: readonly string[]
  /** The common clock; default: a running one. */
  readonly clock?: SetClock
  /** Further options of a server; keys of its configuration replace the helper's own. */
  readonly of?: (name: string) => TestServerOptions
  /** Further keys of one datacenter's settings for another one, such as `token`; `null` to omit it. */
  readonly remote?: (from: string, to: string) => Readonly<Record<string, unknown>> | null
}

export class TestDatacenters {
  constructor(private readonly all: readonly Datacenter[]) {}

  /** @throws Error for an unknown name */
  at(name: string): Datacenter {
    const found = this.all.find(datacenter => datacenter.name === name)
    if (!found) throw new Error(`there is no datacenter ${name}`)
    return found
  }

  /** Advances the clock, and waits until everything due is done. */
  advance(ms: number): void {
    for (const [i, datacenter] of this.all.entries()) datacenter.advance(i === 0 ? ms : 0)
  }
}

export const isUnreachable = (datacenter: string, text: string): boolean =>
  text.startsWith(`No path to datacenter: no server of "${datacenter}"`)

/** Closes the connections to a datacenter, and waits until a server has noticed: the outcome of a write over one is unknown. */
export const shutOff = async ({ gate, name }: Datacenter, from: TestServer): Promise<void> => {
  await gate.shut()
  await until(`the connections to ${name} are lost`, async () =>
    isUnreachable(name, (await from.send('GET', `/v1/kv/any?dc=${name}`)).text)
  )
}

/** Starts one server for each datacenter. All have the management token `ROOT` and one replication key. They end with the scope. */
export const startDatacenters = async (
  t: Scope,
  {
    names = ['dc1', 'dc2', 'dc3'],
    clock = new UnsuspendedClock(t),
    of = () => ({}),
    remote = () => ({})
  }: DatacentersOptions = {}
): Promise<TestDatacenters> => {
  // Each container must have its own instances, also of classes that are loaded after it was created.
  await import('../../server/cluster/datacenters/register-datacenters.js')
  const servers = new Map<string, TestServer>()
  const gates = new Map<string, TcpProxy>()
  for (const name of names) gates.set(name, await startTcpProxy(t, () => servers.get(name)?.port ?? 0))
  const othersOf = (from: string): Record<string, unknown> => {
    const others: Record<string, unknown> = {}
    for (const [to, { port }] of gates) {
      const more = to === from ? null : remote(from, to)
      if (more !== null) others[to] = { url: `http://127.0.0.1:${port}`, ...more }
    }
    return others
  }
  for (const name of names) {
    const options = of(name)
    const config = {
      datacenter: name,
      primary_datacenter: names[0],
      node_name: `server-${name}`,
      datacenters: othersOf(name),
      replication: { key: KEY },
      ...options.config
    }
    servers.set(name, await serverInProcess(t, { clock, ...options, config }))
  }
  const all = [...servers].flatMap(([name, server]) => {
    const gate = gates.get(name)
    return gate ? [{ ...server, name, gate }] : []
  })
  return new TestDatacenters(all)
}
