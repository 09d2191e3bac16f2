// Datacenters whose servers have machines of their own, for one test.
import type { ExecutionContext } from 'ava'
import { lacksNamespaces } from '../../cluster/machines/namespaces.js'
import { assertCopied, assertNoDuplicates } from '../copies.js'
import {
  networkDatacenters,
  PRIMARY,
  startAll,
  type Datacenters,
  type DatacentersOptions
} from '../datacenters.js'
import { startGlobalWriters, type GlobalWriters } from '../global-writers.js'

/** Characters of each server's log to print after a failure. */
const LOGGED = 3000

/** Does something, and tells what the servers have logged when it fails. */
export const logging = async (
  t: ExecutionContext,
  { all }: Datacenters,
  act: () => Promise<void>
): Promise<void> => {
  try {
    await act()
  } catch (error) {
    for (const { servers } of all)
      for (const server of servers) t.log(server.name, server.log().slice(-LOGGED))
    throw error
  }
}

/** Does something to three datacenters that are all there; nothing where machines cannot be made. */
export const datacenterFaultTest = async (
  t: ExecutionContext,
  options: DatacentersOptions,
  act: (made: Datacenters) => Promise<void>
): Promise<void> => {
  if (lacksNamespaces(t)) return
  const made = await networkDatacenters(t, options)
  await logging(t, made, async () => {
    await startAll(made)
    await act(made)
  })
}

/**
 * Runs a fault while clients write policies, roles and tokens. Afterwards all datacenters have the same, according to the responses, but
 * for local tokens, and none received anything twice. All servers are stopped then.
 * @param written the datacenters to whose servers each client writes in turn; the primary unless given
 */
export const whileWritten = async (
  t: ExecutionContext,
  made: Datacenters,
  act: (writers: GlobalWriters) => Promise<void>,
  written: readonly string[] = [PRIMARY]
): Promise<void> => {
  const seed = Date.now() % 2 ** 32
  const bases = (): readonly string[] =>
    written.flatMap(name => made.at(name).servers.map(({ base }) => base))
  const writers = startGlobalWriters({ seed, bases })
  try {
    await writers.acknowledges(30)
    await act(writers)
    await writers.acknowledges(30)
  } finally {
    await writers.stop()
    const { ms, what } = writers.slowest
    t.log(`seed ${seed}, ${JSON.stringify(writers.counts)}, slowest ${Math.round(ms)} ms: ${what}`)
  }
  await assertCopied(made, writers.resources)
  const servers = made.all.flatMap(datacenter => datacenter.servers)
  await Promise.all(servers.map(server => server.stop()))
  for (const server of servers) t.log(`${await assertNoDuplicates(server)} events of ${server.name}`)
  t.pass()
}
