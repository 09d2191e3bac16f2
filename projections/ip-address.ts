// IP addresses in one form, so that they can be compared as text.
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Family = 'A' | 'AAAA'

/** Which kind of address record a text fits; undefined for names and whatever else is no address. */
export const familyOf = (text: string): Family | undefined => {
  if (isIPv4(text)) return 'A'
  return isIPv6(text) && !text.includes('%') ? 'AAAA' : undefined
}

/** An address in its shortest usual form, an IPv4 address in IPv6 as the former; undefined for what is none. */
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
