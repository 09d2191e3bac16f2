// What the server tells about its parts in its metrics.
import type { App } from '../program/app.js'
import { logFolder } from '../compose.js'
import { FolderSize } from './folder-size.js'
import { programVersion } from '../program/version.js'

/** Seconds that a flush takes, from fast disks to those that are stuck. */
const FLUSH_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1]
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 64, 256]

/** Registers a gauge for each number that somebody keeps anyway, and follows the log's flushes. */
export const observe = (app: App): void => {
  const { metrics, views, log, streams, logins, authFailures, committer, settings, clock } = app
  metrics.info('annals_build_info', 'What runs here: version of the program, and of Node', {
    version: programVersion(),
    node: process.version
  })
  observeFlushes(app)
  const size = new FolderSize(logFolder(settings.data_dir), clock)
  metrics.gauge('annals_log_bytes', 'Bytes of the log on disk, at most 10 s old', () => size.bytes())
  metrics.gauge('annals_log_writable', 'Whether the log takes writes: 1, or 0 after a failure', () =>
    committer.isWritable ? 1 : 0
  )
  metrics.gauge('annals_commit_index', 'Index of the last commit applied', () => views.index)
  metrics.gauge('annals_durable_index', 'Index of the last commit on disk', () => log.durableIndex)
  metrics.gauge('annals_acl_tokens', 'Number of ACL tokens', () => views.tokens.size)
  metrics.gauge('annals_kv_entries', 'Number of KV entries', () => views.kv.size)
  metrics.gauge('annals_sessions', 'Number of sessions', () => views.sessions.size)
  metrics.gauge('annals_blocking_keys', 'Keys that blocking queries wait for', () => views.watch.size)
  metrics.gauge('annals_compiled_chains', 'Discovery chains kept', () => views.chains.count)
  metrics.gauge('annals_logins_waiting', 'Logins that wait for an identity provider', () => logins.size)
  metrics.gauge(
    'annals_oidc_requests',
    'OIDC logins that wait for their callback',
    () => views.oidcRequests.size
  )
  metrics.gauge(
    'annals_auth_failure_addresses',
    'Addresses with failures of tokens or logins that are kept',
    () => authFailures.size
  )
  metrics.gauge('annals_event_streams', 'Open event streams', () => streams.size)
  metrics.gauge('annals_event_streams_behind', 'Event streams that read from the log', () => streams.behind)
  metrics.gauge('annals_event_stream_lag', 'Commits that the slowest event stream lacks', () => streams.lag)
}

const observeFlushes = ({ metrics, log }: App): void => {
  const time = metrics.distribution(
    'annals_log_flush_seconds',
    'Time that a flush of the log to the disk takes, in seconds',
    { buckets: FLUSH_BUCKETS }
  )
  const group = metrics.distribution('annals_log_flush_commits', 'Commits that share a flush', {
    buckets: GROUP_BUCKETS
  })
  log.onFlush(({ seconds, commits }) => {
    time(seconds)
    group(commits)
  })
}
