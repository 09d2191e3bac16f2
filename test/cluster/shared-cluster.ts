// One cluster for the tests of a file, begun by the first that needs it.
import type { ExecutionContext, TestFn } from 'ava'
import { fileScope } from '../support/file-scope.js'
import { missing } from '../support/programs.js'
import { loopbackCluster, startServers, type Cluster, type ClusterOptions } from './cluster.js'
import { assertServed } from './oracle.js'
import { startWorkload, type Workload, type Write, type WorkloadOptions } from './workload.js'

/** Characters of each server's log to print after an unexpected result. */
const LOGGED = 3000

interface SharedCluster {
  /** The cluster with all its servers running; undefined when etcd is missing, and then the test is over. */
  for(t: ExecutionContext): Promise<Cluster | undefined>
  /**
   * Runs a fault with concurrent writers, waits until every server has everything, and compares each with the writers' responses.
   * @param fault what is done; `work` writes meanwhile
   */
  during(
    t: ExecutionContext,
    name: string,
    fault: (cluster: Cluster, work: Workload) => Promise<void>,
    options?: Partial<WorkloadOptions>
  ): Promise<void>
  /** Everything that was written by `during`. */
  readonly writes: readonly Write[]
}

/** Undoes whatever a fault that ended early has left, so that the next one begins with a whole cluster. */
const heal = async ({ etcd, servers, gates, doors }: Cluster): Promise<void> => {
  for (const gate of gates) {
    gate.pass()
    gate.cut()
  }
  for (const door of doors) door.pass()
  for (const member of etcd.members) if (!member.runs()) member.start()
  for (const server of servers) {
    server.signal('SIGCONT')
    if (server.ended() !== undefined) server.start()
  }
  for (const server of servers) await server.ready()
}

/** A cluster on this machine that ends with the file of tests. */
export const sharedCluster = (test: TestFn, options: ClusterOptions): SharedCluster => {
  const scope = fileScope(test, 'the cluster')
  const writes: Write[] = []
  let cluster: Promise<Cluster> | undefined
  const begin = async (): Promise<Cluster> => {
    const made = await loopbackCluster(scope, options)
    await startServers(made)
    return made
  }
  const given = async (t: ExecutionContext): Promise<Cluster | undefined> => {
    if (await missing(t, 'etcd')) return undefined
    return await (cluster ??= begin())
  }
  return {
    for: given,
    writes,
    during: async (t, name, fault, workload = {}) => {
      const made = await given(t)
      if (!made) return
      const work = startWorkload({ bases: made.bases, clients: 4, rest: 40, prefix: name, ...workload })
      try {
        await work.acknowledges(10)
        await fault(made, work)
        await work.acknowledges(10)
      } catch (error) {
        for (const server of made.servers) t.log(server.name, server.log().slice(-LOGGED))
        throw error
      } finally {
        await heal(made)
        await work.stop()
      }
      writes.push(...work.writes)
      await made.settled()
      t.log(`${work.writes.length} writes, longest pause ${Math.round(work.longestPause())} ms`)
      await t.notThrowsAsync(assertServed(made.servers, work.writes, name))
    }
  }
}
