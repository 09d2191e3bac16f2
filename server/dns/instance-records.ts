// Converts service instances to DNS records (spec: queries.md §8.3).
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { familyOf, addressBytes, type Family } from '../../projections/ip-address.js'
import { worstStatus, type Instance } from '../../projections/queries/instance.js'
import type { DnsRecord } from './records.js'

type Texts = Readonly<Record<string, string>>

const VERBATIM = /^rfc1035-/i

/** Escapes the characters that would end a key. */
const quoted = (key: string): string => {
  const inside = key.replaceAll('`', '``').replaceAll('=', '`=')
  return inside
    .replace(/^[ \t]+/, spaces => Array.from(spaces, space => `\`${space}`).join(''))
    .replace(/[ \t]+$/, spaces => Array.from(spaces, space => `\`${space}`).join(''))
}

/** A key with the prefix `rfc1035-` is omitted from the text. */
const textOf = (key: string, value: string): string =>
  VERBATIM.test(key) ? value : `${quoted(key)}=${value.replaceAll('`', '``')}`

export const metadataRecords = (name: string, meta: Texts | null, ttl: number): DnsRecord[] =>
  Object.entries(meta ?? {}).map(([key, value]) => ({ type: 'TXT', name, ttl, data: textOf(key, value) }))

/** What all records of an answer have in common. */
interface RecordContext {
  /** Name in the question, as written. */
  readonly name: string
  readonly type: string
  readonly domain: string
  readonly datacenter: string
  readonly partition: string
  readonly ttl: number
}

/** A name whose records are added to the answer if they are known. */
export interface Follow {
  readonly target: string
  /** Seconds; undefined to keep the records' own. */
  readonly ttl: number | undefined
  readonly into: 'answers' | 'additional'
  /** Adds TXT records to addresses and aliases. */
  readonly texts: boolean
}

export interface RecordSet {
  readonly answers: readonly DnsRecord[]
  readonly additional: readonly DnsRecord[]
  readonly follow: readonly Follow[]
}

type Location =
  /** `name` stands for the address in SRV records. */
  | { readonly kind: 'address'; readonly address: string; readonly family: Family; readonly name: string }
  | { readonly kind: 'name'; readonly name: string }

/** Returns the address for a question type, or '' if none fits. */
export const addressFor = (type: string, own: string, v4 = '', v6 = ''): string => {
  switch (type) {
    case 'A':
      return v4 || (familyOf(own) === 'AAAA' ? '' : own)
    case 'AAAA':
      return v6 || (familyOf(own) === 'A' ? '' : own)
    default:
      return v6 || v4 || own
  }
}

const hexOf = (address: string): string => Buffer.from(addressBytes(address)).toString('hex')

export const plainName = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name)

/** Returns the DNS name of a node. Outside the default partition only the labelled form names the partition. */
const nodeName = (node: string, { datacenter, partition, domain }: RecordContext): string =>
  partition === DEFAULT_TENANCY.partition
    ? `${node}.node.${datacenter}.${domain}`
    : `${node}.node.${partition}.ap.${datacenter}.dc.${domain}`

const nodeLocation = ({ node }: Instance, context: RecordContext): Location | undefined => {
  const tagged = node.TaggedAddresses
  const address = addressFor(context.type, node.Address, tagged?.['lan_ipv4'], tagged?.['lan_ipv6'])
  if (address === '') return undefined
  const family = familyOf(address)
  if (!family) return { kind: 'name', name: plainName(address) }
  const name =
    address === node.Address
      ? nodeName(node.Node, context)
      : `${hexOf(address)}.addr.${context.datacenter}.${context.domain}`
  return { kind: 'address', address, family, name }
}

/** Returns the address or name of an instance; undefined if neither fits the question. */
const locate = (instance: Instance, context: RecordContext): Location | undefined => {
  const { Address, TaggedAddresses } = instance.service
  const [v4, v6] = [TaggedAddresses?.['lan_ipv4']?.Address, TaggedAddresses?.['lan_ipv6']?.Address]
  const address = addressFor(context.type, Address, v4, v6)
  if (address === '') return Address === '' ? nodeLocation(instance, context) : undefined
  const family = familyOf(address)
  if (family)
    return {
      kind: 'address',
      address,
      family,
      name: `${hexOf(address)}.addr.${context.datacenter}.${context.domain}`
    }
  const name = plainName(address)
  // A service whose address is its own name would loop.
  return name.toLowerCase() === context.name.toLowerCase()
    ? nodeLocation(instance, context)
    : { kind: 'name', name }
}

/** Returns the distinct addresses of instances. Without any address, returns one alias. @param limit 0 for none */
export const addressRecords = (
  instances: readonly Instance[],
  context: RecordContext,
  limit: number
): RecordSet => {
  const { name, type, ttl } = context
  const seen = new Set<string>()
  const answers: DnsRecord[] = []
  let alias: string | undefined
  for (const instance of instances) {
    const at = locate(instance, context)
    if (at?.kind === 'name') alias ??= at.name
    if (at?.kind !== 'address' || (type !== 'ANY' && type !== at.family) || seen.has(at.address)) continue
    seen.add(at.address)
    answers.push({ type: at.family, name, ttl, data: at.address })
    if (limit > 0 && answers.length >= limit) break
  }
  if (answers.length > 0 || alias === undefined) return { answers, additional: [], follow: [] }
  return {
    answers: [{ type: 'CNAME', name, ttl, data: alias }],
    additional: [],
    follow: [{ target: alias, ttl, into: 'answers', texts: false }]
  }
}

const weightOf = ({ checks, service }: Instance): number => {
  const status = worstStatus(checks)
  return status === 'passing' ? service.Weights.Passing : status === 'warning' ? service.Weights.Warning : 0
}

/** Returns SRV records, with the addresses of their targets and, if `texts`, the node metadata. */
export const serviceRecords = (
  instances: readonly Instance[],
  context: RecordContext,
  texts: boolean
): RecordSet => {
  const { name, ttl } = context
  const seen = new Set<string>()
  const answers: DnsRecord[] = []
  const additional: DnsRecord[] = []
  const follow: Follow[] = []
  for (const instance of instances) {
    const { node, service } = instance
    const key = JSON.stringify([node.Node, service.Address, service.Port])
    const at = seen.has(key) ? undefined : locate(instance, context)
    if (!at) continue
    seen.add(key)
    const data = { priority: 1, weight: weightOf(instance), port: service.Port, target: at.name }
    answers.push({ type: 'SRV', name, ttl, data })
    if (at.kind === 'address') additional.push({ type: at.family, name: at.name, ttl, data: at.address })
    else follow.push({ target: at.name, ttl, into: 'additional', texts: false })
    if (texts) additional.push(...metadataRecords(nodeName(node.Node, context), node.Meta, ttl))
  }
  return { answers, additional, follow }
}
