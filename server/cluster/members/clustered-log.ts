import { rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { clusterSeedOf, prepareLogFolder } from '../../../events/log/cluster/cluster-identity.js'
import { ClusterLink } from '../../../events/log/cluster/cluster-link.js'
import {
  type ClusterSeed,
  type SharedLog,
  SharedUnreachable
} from '../../../events/log/cluster/shared-log.js'
import { EtcdSharedLog } from '../../../events/log/etcd/etcd-shared-log.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { Report } from '../../../events/log/report.js'
import type { LogFeed } from '../../../events/log/store.js'
import type { SegmentEventLog, SegmentLogOptions } from '../../../events/log/segments/segment-event-log.js'
import { openLog } from '../../open-log.js'
import { etcdAddress } from '../etcd/etcd-connection.js'
import { logFolder, type Settings } from '../../settings/settings.js'

const RETRY_MS = 500
/** Default time in which a server without a log tries to reach etcd. */
const START_MS = 30_000
/** How often a waiting start logs its wait. */
const REPORT_MS = 10_000

/** Connects to etcd according to the settings. @throws file system errors of its certificates */
export const sharedLogOf = (settings: Pick<Settings, 'cluster' | 'data_dir'>): SharedLog => {
  const { etcd, lease_ttl: leaseTtl } = settings.cluster
  return new EtcdSharedLog({ ...etcdAddress(settings), prefix: etcd.prefix, leaseTtl })
}

export type ClusterLogOptions = Pick<SegmentLogOptions, 'fatal'> & {
  readonly report: Report
  readonly waiting?: Waiting
}

/** Reports and ends a wait for etcd. */
export interface Waiting {
  /** Called with a reason while the server waits, and without one afterwards. */
  readonly onChange: (reason?: string) => void
  readonly ending: AbortSignal
}

/** Follows the server's own log files. */
export interface LocalLogOptions {
  readonly logFeed: LogFeed
  readonly use: (log: SegmentEventLog) => void
}
type OpeningOptions = ClusterLogOptions & Pick<SegmentLogOptions, 'feed'>

/**
 * Opens the log of the server's folder. An empty folder starts with the seed of the cluster, and waits for etcd. If there is no cluster
 * yet, this creates it.
 * @throws LogUnusable; SharedUnreachable after the timeout
 */
export const openClusteredLog = async (
  settings: Settings,
  link: ClusterLink,
  { report, waiting, ...more }: OpeningOptions
): Promise<SegmentEventLog> => {
  const { shared } = link
  const path = logFolder(settings.data_dir)
  const open = (begunAs?: ClusterSeed['log']): Promise<SegmentEventLog> =>
    openLog(settings, {
      ...more,
      report,
      order: link,
      ...(begunAs && { begunAs })
    })
  const log = await open()
  // A log with commits is checked when the server joins. Until then it serves stale reads.
  if (log.durableIndex > 0) return log
  try {
    const most = settings.cluster.etcd.start_timeout ?? START_MS
    const foundation = await reached(() => foundedWith(log, shared), { most, report, waiting })
    if (foundation.log.id === log.identity.id) return log
    await log.close()
    await rm(path, { recursive: true })
    await prepareLogFolder(path, foundation)
    return await open(foundation.log)
  } catch (error) {
    await log.close()
    throw error
  }
}

/** Checks that a log belongs to the cluster, which is created from it if there is none yet. @throws LogUnusable; SharedUnreachable */
export const admitToCluster = async (
  log: SegmentEventLog,
  shared: SharedLog,
  prefix: string
): Promise<void> => {
  const { log: expected } = await foundedWith(log, shared)
  if (expected.id !== log.identity.id || expected.incarnation !== log.identity.incarnation)
    throw new LogUnusable(
      `the log in ${log.path} is another one than that of the cluster (cluster.etcd.prefix ${prefix}): start with an empty data folder to join it`
    )
}

const foundedWith = async (log: SegmentEventLog, shared: SharedLog): Promise<ClusterSeed> => {
  const head = { index: log.durableIndex, hash: Buffer.from(log.headHash, 'hex') }
  return (await shared.clusterSeed()) ?? (await shared.createCluster(await clusterSeedOf(log), head))
}

interface ReachOptions {
  /** Timeout in ms; 0 for none. */
  readonly most: number
  readonly report: Report
  readonly waiting: Waiting | undefined
}

/** Retries until the cluster can be reached, or the timeout. @throws SharedUnreachable */
const reached = async <T>(ask: () => Promise<T>, { most, report, waiting }: ReachOptions): Promise<T> => {
  const began = performance.now()
  const seconds = (): number => Math.round((performance.now() - began) / 1000)
  let reportAt = began
  let hasWaited = false
  for (;;)
    try {
      const answer = await ask()
      if (hasWaited) report({ level: 'info', text: `etcd is reached after ${seconds()} s` })
      waiting?.onChange()
      return answer
    } catch (error) {
      const isOver = most > 0 && performance.now() - began > most
      if (!(error instanceof SharedUnreachable) || isOver || waiting?.ending.aborted) throw error
      hasWaited = true
      waiting?.onChange(`etcd cannot be reached: ${error.message}`)
      if (performance.now() >= reportAt) {
        const limit = most === 0 ? 'for ever' : `for ${most / 1000} s`
        report({
          level: 'warn',
          text: `etcd cannot be reached; the start tries ${limit} (cluster.etcd.start_timeout), ${seconds()} s so far: ${error.message}`
        })
        reportAt = performance.now() + REPORT_MS
      }
      await setTimeout(RETRY_MS, undefined, waiting && { signal: waiting.ending }).catch(() => {})
    }
}
