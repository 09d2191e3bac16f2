// The configuration keys of the DNS interface (spec: queries.md §8.9).
import * as Type from 'typebox'
import { parseMilliseconds } from '../../events/duration.js'
import { duration, integer, map, section, toggle } from './values.js'

const ttl = Type.Decode(
  Type.Refine(Type.String(), value => (parseMilliseconds(value) ?? -1) >= 0),
  value => parseMilliseconds(value) ?? 0
)

const SECONDS = 2 ** 31 - 1

export const dnsConfig = section({
  allow_stale: toggle(
    'In a cluster, let each server answer from its own state. Otherwise a follower first requests the newest index from the leader. It has no effect on a single server.',
    { default: true }
  ),
  max_stale: duration(
    'With `allow_stale`, time without contact to the cluster after which a server waits until its state is current. It answers SERVFAIL while that is unknown.',
    { default: '87600h' }
  ),
  use_cache: toggle(
    'Answer prepared queries from earlier results, in the same order, as `?cached` does. Answers about services and nodes are never cached.'
  ),
  cache_max_age: duration(
    'Maximum age of the result of a prepared query with `use_cache`. 0 means three days.',
    { default: '0s' }
  ),
  node_ttl: duration('Time to live of answers about nodes.', { default: '0s' }),
  service_ttl: map(
    ttl,
    'Time to live of answers about services, by name. An exact name precedes the longest `prefix*`, which precedes `*`.',
    { rule: 'map service names to durations, such as {"web": "30s", "*": "5s"}' }
  ),
  only_passing: toggle('Exclude instances with warnings.'),
  udp_answer_limit: integer([0, 255], 'Answers in a UDP response without EDNS.', { default: 3 }),
  a_record_limit: integer([0, 65535], 'Addresses in a response about a service or query. 0 means no limit.', {
    default: 0
  }),
  enable_truncate: toggle('Mark shortened responses as truncated.'),
  disable_compression: toggle('Write names without compression.'),
  enable_additional_node_meta_txt: toggle('Add metadata of nodes as TXT records to the additional section.', {
    default: true
  }),
  prefer_namespace: toggle('In `NAME.service.LABEL.DOMAIN` the label is a namespace, not a datacenter.'),
  recursor_timeout: duration('How long to wait for each recursor.', { default: '2s', reloads: true }),
  soa: section({
    refresh: integer([0, SECONDS], 'Refresh of the SOA record, in seconds.', { default: 3600 }),
    retry: integer([0, SECONDS], 'Retry of the SOA record, in seconds.', { default: 600 }),
    expire: integer([0, SECONDS], 'Expiry of the SOA record, in seconds.', { default: 86400 }),
    min_ttl: integer([0, SECONDS], 'Time to live of the SOA record and of negative answers, in seconds.', {
      default: 0
    })
  })
})
