// What the server tells about its parts in its metrics.
import type { App } from './app.js'

/** Registers a gauge for each number that somebody keeps anyway. */
export const observe = ({ metrics, views, log, streams, logins, authFailures }: App): void => {
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
