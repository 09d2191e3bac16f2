// The log of a server of a cluster: the one that the cluster was founded with, in the server's own folder.
import { readFile, rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { ClusteredStore } from '../../../events/log/cluster/clustered-store.js'
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
import type { SegmentEventLog, SegmentLogOptions } from '../../../events/log/segments/segment-event-log.js'
import { openLog } from '../../compose.js'
import { logFolder, type Settings } from '../../settings/settings.js'

const RETRY_MS = 500
/** How long the start of a server without a log tries to reach etcd unless the settings say otherwise, in ms. */
const START_MS = 30_000
/** How often a start that waits for etcd logs that it does, in ms. */
const REPORT_MS = 10_000

/** Etcd as the settings name it. @throws what the file system reports of its certificates */
export const sharedLogOf = async ({ cluster }: Pick<Settings, 'cluster'>): Promise<SharedLog> => {
  const { endpoints, prefix, ca_file, cert_file, key_file, user: name, password } = cluster.etcd
  const read = async (file: string | undefined): Promise<Buffer | undefined> =>
    file === undefined ? undefined : readFile(file)
  const [ca, cert, key] = await Promise.all([ca_file, cert_file, key_file].map(read))
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
  const user = name === undefined || password === undefined ? {} : { user: { user: name, password } }
  return new EtcdSharedLog({ endpoints, prefix, leaseTtl: cluster.lease_ttl, tls, ...user })
}

export type ClusterLogOptions = Pick<SegmentLogOptions, 'fatal'> & {
  readonly report: Report
  readonly waiting?: Waiting
}

/** What goes with a wait for etcd. */
export interface Waiting {
  /** Called when the server waits, with the reason, and without one when it no longer does. */
  readonly onChange: (reason?: string) => void
  /** Ends the wait of a start. */
  readonly ending: AbortSignal
}

/** What takes part in what a server has on its own disk. */
export interface LocalLogParts {
  /** What the server's own files are written through: see `SegmentLogOptions`. */
  readonly over: NonNullable<SegmentLogOptions['over']>
  /** Called when the log is open. */
  readonly use: (log: SegmentEventLog) => void
}

type OpeningOptions = ClusterLogOptions & Partial<Pick<LocalLogParts, 'over'>>

/**
 * The log of the server's folder, which continues what is shared. An empty folder begins as the log of the cluster, and waits until the
 * cluster can be reached; if there is no cluster yet, it founds it.
 * @throws LogUnusable; SharedUnreachable when that takes too long
 */
export const openClusteredLog = async (
  settings: Settings,
  link: ClusterLink,
  { report, waiting, over = own => own, ...more }: OpeningOptions
): Promise<SegmentEventLog> => {
  const { shared } = link
  const path = logFolder(settings.data_dir)
  const open = (begunAs?: ClusterSeed['log']): Promise<SegmentEventLog> =>
    openLog(settings, {
      ...more,
      report,
      over: own => new ClusteredStore(over(own), link),
      ...(begunAs && { begunAs })
    })
  const log = await open()
  // What has commits is held against the cluster when it takes part, and shows what it has until then.
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

/**
 * Makes sure that a log is that of the cluster, which is founded with it when there is none yet.
 * @throws LogUnusable; SharedUnreachable
 */
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

interface Patience {
  /** How long it tries, in ms; 0 for ever. */
  readonly most: number
  readonly report: Report
  readonly waiting: Waiting | undefined
}

/** Tries until the cluster can be reached, or for as long as it may take. @throws SharedUnreachable */
const reached = async <T>(ask: () => Promise<T>, { most, report, waiting }: Patience): Promise<T> => {
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
