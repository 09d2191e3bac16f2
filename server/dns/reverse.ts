// Reverse lookup of an address (spec: queries.md §8.5).
import type { Authorizer } from '../../projections/acl/authorizer.js'
import { addressOfBytes } from '../../projections/ip-address.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { Addresses } from '../../projections/queries/addresses.js'
import type { DnsRecord } from './records.js'

const V4 = '.in-addr.arpa'
const V6 = '.ip6.arpa'
const IPV4_LABELS = 4
const IPV6_LABELS = 32
const DECIMAL = /^(0|[1-9][0-9]{0,2})$/
const DIGIT = /^[0-9a-f]$/

export const isReverse = (name: string): boolean => /(^|\.)(in-addr|ip6)\.arpa$/i.test(name)

/** Returns the address of a reverse name in canonical form, or undefined. */
export const addressOfName = (name: string): string | undefined => {
  const lower = name.toLowerCase()
  if (lower.endsWith(V4)) {
    const labels = lower.slice(0, -V4.length).split('.')
    const bytes = labels.map(Number).toReversed()
    const isSound = labels.length === IPV4_LABELS && labels.every(label => DECIMAL.test(label))
    return isSound && bytes.every(byte => byte < 256) ? addressOfBytes(bytes) : undefined
  }
  if (!lower.endsWith(V6)) return undefined
  const digits = lower.slice(0, -V6.length).split('.').toReversed()
  if (digits.length !== IPV6_LABELS || !digits.every(digit => DIGIT.test(digit))) return undefined
  return addressOfBytes([...Buffer.from(digits.join(''), 'hex')])
}

/** Returns the PTR record of a visible node or service, or undefined. @param place the end of the name in the record: datacenter and domain */
export const reverseRecord = (
  addresses: Addresses,
  name: string,
  authorizer: Authorizer,
  place: string
): DnsRecord | undefined => {
  const address = addressOfName(name)
  if (address === undefined) return undefined
  const maySeeNode = (node: string): boolean => authorizer.may('node', 'read', node, DEFAULT_TENANCY)
  const node = addresses.nodesAt(address).find(maySeeNode)
  if (node !== undefined) return { type: 'PTR', name, ttl: 0, data: `${node}.node.${place}` }
  const found = addresses
    .servicesAt(address)
    .find(
      ({ service, namespace, node: host }) =>
        authorizer.may('service', 'read', service, { partition: DEFAULT_TENANCY.partition, namespace }) &&
        maySeeNode(host)
    )
  if (!found) return undefined
  const inside = found.namespace === DEFAULT_TENANCY.namespace ? '' : `.${found.namespace}`
  return { type: 'PTR', name, ttl: 0, data: `${found.service}.service${inside}.${place}` }
}
