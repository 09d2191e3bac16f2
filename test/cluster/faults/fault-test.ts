// One fault of a cluster whose servers have machines of their own: writers before, during and after it, and the comparison at the end.
import type { ExecutionContext } from 'ava'
import { missing } from '../../support/programs.js'
import { networkCluster, startServers, type Cluster, type ClusterOptions } from '../cluster.js'
import { lacksNamespaces } from '../machines/namespaces.js'
import type { Network } from '../machines/machine.js'
import type { AnnalsServer } from '../annals-server.js'
import { startWorkload, type Workload, type WorkloadOptions } from '../workload.js'

export type NetworkCluster = Cluster & { readonly network: Network }

/** Characters of each server's log to print when stored writes differ from acknowledged ones. */
const LOGGED = 3000

interface FaultTestOptions extends ClusterOptions {
  readonly workload?: Partial<WorkloadOptions>
}

/** A cluster whose servers all run; undefined where none can be made, and then the test is over. */
export const faultTestCluster = async (
  t: ExecutionContext,
  options: ClusterOptions = {}
): Promise<NetworkCluster | undefined> => {
  if ((await missing(t, 'etcd')) || lacksNamespaces(t)) return undefined
  const cluster = await networkCluster(t, options)
  await startServers(cluster)
  return cluster
}

/**
 * Runs a fault on a cluster with concurrent clients. Afterwards writes continue, and every server has each acknowledged write once; those
 * that the fault left without a process are not asked.
 */
export const faultTest = async (
  t: ExecutionContext,
  options: FaultTestOptions,
  fault: (cluster: NetworkCluster, work: Workload) => Promise<void>
): Promise<void> => {
  const cluster = await faultTestCluster(t, options)
  if (!cluster) return
  const work = startWorkload({ bases: cluster.bases, ...options.workload })
  try {
    await work.acknowledges(200)
    await fault(cluster, work)
    await work.acknowledges(200)
  } finally {
    await work.stop()
  }
  const count = (outcome: string): number => work.writes.filter(write => write.outcome === outcome).length
  t.log(
    `${count('acknowledged')} acknowledged, ${count('refused')} refused, ${count('unknown')} unknown; ` +
      `longest pause ${Math.round(work.longestPause())} ms`
  )
  try {
    await cluster.sound(work.writes)
    t.pass()
  } catch (error) {
    for (const server of cluster.servers) t.log(server.name, server.log().slice(-LOGGED))
    throw error
  }
}

/** The servers but one. */
export const others = ({ servers }: Cluster, one: AnnalsServer): readonly AnnalsServer[] =>
  servers.filter(server => server !== one)

/** One that does not lead. */
export const follower = async (cluster: Cluster): Promise<AnnalsServer> => {
  const leader = await cluster.leader()
  const found = others(cluster, leader)[0]
  if (!found) throw new Error('there is no follower')
  return found
}
