// IP addresses in one form, so that they can be compared as text.
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Family = 'A' | 'AAAA'

/** Which kind of address record a text fits; undefined for names and whatever else is no address. */
export const familyOf = (text: string): Family | undefined => {
  if (isIPv4(text)) return 'A'
  return isIPv6(text) && !text.includes('%') ? 'AAAA' : undefined
}

/** The shortest usual form of an address, IPv4 in IPv6 as IPv4; undefined for what is none. */
export const canonicalAddress = (text: string): string | undefined => {
  const family = familyOf(text)
  if (family !== 'AAAA') return family && text
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String()
}

/** The bytes of an address: 4 or 16. @throws Error for what is none */
export const addressBytes = (text: string): readonly number[] =>
  isIPv4(text) ? text.split('.').map(Number) : ipaddr.IPv6.parse(text).toByteArray()

/** The address of 4 or 16 bytes. */
export const addressOfBytes = (bytes: readonly number[]): string => {
  const address = ipaddr.fromByteArray([...bytes])
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
}

/** A range in CIDR notation: its first address, and the number of bits that all of it share. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The network that `10.0.0.0/8` or `::1/128` names, or a single address; undefined for anything else. */
export const parseNetwork = (text: string): Network | undefined => {
  const [address = '', bits, ...more] = text.split('/')
  const family = familyOf(address)
  if (family === undefined || more.length > 0) return undefined
  const most = family === 'A' ? 32 : 128
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most)) return undefined
  return [ipaddr.parse(address), bits === undefined ? most : Number(bits)]
}

/** Bytes at the start of an IPv4-compatible address (`::192.0.2.1`), all of which are 0. */
const COMPATIBLE_ZEROS = 12

/** Whether an IPv6 address only carries an IPv4 address: through NAT64, or as the deprecated IPv4-compatible form. */
const carriesIPv4 = (address: ipaddr.IPv6): boolean =>
  address.range() === 'rfc6052' ||
  (address.range() !== 'loopback' &&
    address.range() !== 'unspecified' &&
    address
      .toByteArray()
      .slice(0, COMPATIBLE_ZEROS)
      .every(byte => byte === 0))

/**
 * The address that connections to this one lead to: without a zone, and as IPv4 where IPv6 only carries an
 * IPv4 address (mapped, compatible, or through NAT64). Undefined for what is no address.
 */
const reached = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const plain = text.replace(/%.*$/, '')
  if (familyOf(plain) === undefined) return undefined
  const address = ipaddr.process(plain)
  return address instanceof ipaddr.IPv6 && carriesIPv4(address)
    ? ipaddr.fromByteArray(address.toByteArray().slice(12))
    : address
}

/** Whether an address is in one of the networks. */
export const isWithin = (address: string, networks: readonly Network[]): boolean => {
  const found = reached(address)
  return (
    found !== undefined &&
    networks.some(([first, bits]) => found.kind() === first.kind() && found.match(first, bits))
  )
}

/** Of IPv6, which a client has by whole networks: the bytes that say which one. */
const NETWORK_BYTES = 8

/** `192.0.2.1:80` or `[2001:db8::1]:80`, as some proxies name a client. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*)):\d+$/

/**
 * One text for all addresses that one client is likely to have: an IPv4 address, or the network of an IPv6
 * address. A port is passed over; what is no address stands for itself.
 */
export const subscriberOf = (address: string): string => {
  const [, inBrackets, plain] = WITH_PORT.exec(address) ?? []
  const found = reached(inBrackets ?? plain ?? address)
  return found instanceof ipaddr.IPv6
    ? Buffer.from(found.toByteArray().slice(0, NETWORK_BYTES)).toString('hex')
    : (found?.toString() ?? address)
}

/** Where an address is of use: this machine, anywhere, or some other special or private range. */
export const reachOf = (address: string): 'machine' | 'public' | 'other' => {
  const range = reached(address)?.range()
  // A connection to 0.0.0.0 or :: is one to this machine.
  if (range === 'loopback' || range === 'unspecified') return 'machine'
  return range === 'unicast' ? 'public' : 'other'
}

/** Whether who listens on this address or host name can be reached from this machine alone. */
export const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === 'localhost' ||
  (familyOf(host) !== undefined && ipaddr.process(host).range() === 'loopback')
