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
    'In a cluster, any server answers by what it shows; otherwise each asks first what is newest. A server alone shows nothing else.',
    { default: true }
  ),
  max_stale: duration(
    'With `allow_stale`, a server without contact to its cluster for longer waits until its state is current, and answers SERVFAIL while that is unknown.',
    { default: '87600h' }
  ),
  use_cache: toggle(
    'Answer prepared queries from what was found before, in the same order, as `?cached` does. Services and nodes are always answered as they are now.'
  ),
  cache_max_age: duration(
    'How old the result of a prepared query may be when `use_cache` is on; 0 means up to three days.',
    { default: '0s' }
  ),
  node_ttl: duration('Time to live of answers about nodes.', { default: '0s' }),
  service_ttl: map(
    ttl,
    'Time to live of answers about services, by name: an exact name, then the longest `prefix*`, then `*`.',
    { rule: 'map service names to durations, such as {"web": "30s", "*": "5s"}' }
  ),
  only_passing: toggle('Leave out instances whose checks are at warning.'),
  udp_answer_limit: integer([0, 255], 'Answers in a UDP response without EDNS.', { default: 3 }),
  a_record_limit: integer([0, 65535], 'Addresses in a response about a service or query; 0 means no limit.', {
    default: 0
  }),
  enable_truncate: toggle('Mark responses from which answers were cut as truncated.'),
  disable_compression: toggle('Write names in full.'),
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
