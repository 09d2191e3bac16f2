import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Family = 'A' | 'AAAA'

/** The DNS record type of an address; undefined for names and other texts. */
export const familyOf = (text: string): Family | undefined => {
  if (isIPv4(text)) return 'A'
  return isIPv6(text) && !text.includes('%') ? 'AAAA' : undefined
}

/** The shortest form of an address, IPv4 in IPv6 as IPv4, which can be compared as text; undefined for other texts. */
export const canonicalAddress = (text: string): string | undefined => {
  const family = familyOf(text)
  if (family !== 'AAAA') return family && text
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String()
}

/** The bytes of an address: 4 or 16. @throws Error for other texts */
export const addressBytes = (text: string): readonly number[] =>
  isIPv4(text) ? text.split('.').map(Number) : ipaddr.IPv6.parse(text).toByteArray()

export const addressOfBytes = (bytes: readonly number[]): string => {
  const address = ipaddr.fromByteArray([...bytes])
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
}

/** A range in CIDR notation: its first address, and the length of its prefix in bits. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Parses `10.0.0.0/8`, `::1/128` or a single address; undefined for other texts. */
export const parseNetwork = (text: string): Network | undefined => {
  const [address = '', bits, ...more] = text.split('/')
  const family = familyOf(address)
  if (family === undefined || more.length > 0) return undefined
  const length = family === 'A' ? 32 : 128
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > length)) return undefined
  return [ipaddr.parse(address), bits === undefined ? length : Number(bits)]
}

/** The zero bytes at the start of an IPv4-compatible address (`::192.0.2.1`). */
const COMPATIBLE_ZEROS = 12

/** True for NAT64 addresses and the deprecated IPv4-compatible form. */
const carriesIPv4 = (address: ipaddr.IPv6): boolean =>
  address.range() === 'rfc6052' ||
  (address.range() !== 'loopback' &&
    address.range() !== 'unspecified' &&
    address
      .toByteArray()
      .slice(0, COMPATIBLE_ZEROS)
      .every(byte => byte === 0))

/** The destination of connections to an address: without zone, IPv4 if IPv6 carries that (mapped, compatible, NAT64). Undefined for other texts. */
const reached = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const plain = text.replace(/%.*$/, '')
  if (familyOf(plain) === undefined) return undefined
  const address = ipaddr.process(plain)
  return address instanceof ipaddr.IPv6 && carriesIPv4(address)
    ? ipaddr.fromByteArray(address.toByteArray().slice(12))
    : address
}

export const isWithin = (address: string, networks: readonly Network[]): boolean => {
  const found = reached(address)
  return (
    found !== undefined &&
    networks.some(([first, bits]) => found.kind() === first.kind() && found.match(first, bits))
  )
}

/** The network part of an IPv6 address: a client has whole networks. */
const NETWORK_BYTES = 8

/** `192.0.2.1:80` or `[2001:db8::1]:80`, the form of some proxies. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*)):\d+$/

/** One text for the addresses that a client probably has: IPv4 address or IPv6 network. Ports are ignored; other texts are returned unchanged. */
export const subscriberOf = (address: string): string => {
  const [, inBrackets, plain] = WITH_PORT.exec(address) ?? []
  const found = reached(inBrackets ?? plain ?? address)
  return found instanceof ipaddr.IPv6
    ? Buffer.from(found.toByteArray().slice(0, NETWORK_BYTES)).toString('hex')
    : (found?.toString() ?? address)
}

/** The scope of an address: this machine, anywhere, or another special or private range. */
export const reachOf = (address: string): 'machine' | 'public' | 'other' => {
  const range = reached(address)?.range()
  // A connection to 0.0.0.0 or :: reaches this machine.
  if (range === 'loopback' || range === 'unspecified') return 'machine'
  return range === 'unicast' ? 'public' : 'other'
}

/** True if a listener on this address or host name is reachable from this machine only. */
export const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === 'localhost' ||
  (familyOf(host) !== undefined && ipaddr.process(host).range() === 'loopback')
