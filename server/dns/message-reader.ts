import dnsPacket from 'dns-packet'
import { recover } from '../../events/errors.js'

const HEADER = 12
const MAX_LABEL = 63
const QUERY = 0
const NOTIFY = 4
const SUBNET = 8
const SCOPE_AT = 3

/** The EDNS client subnet option (RFC 7871): an address or a prefix. */
interface ClientSubnet {
  readonly address: string
  readonly prefix: number
  /** The option's bytes, with scope 0. */
  readonly bytes: Uint8Array
}

interface Edns {
  readonly version: number
  /** Limit of UDP answers that the client accepts, in bytes. */
  readonly size: number
  readonly subnet: ClientSubnet | undefined
}

interface Header {
  readonly id: number
  readonly opcode: number
  readonly recursionDesired: boolean
}

export interface DnsQuestion extends Header {
  readonly kind: 'question'
  /** As written, without the final dot; '' for the root. */
  readonly name: string
  /** Such as `A`; `UNKNOWN_123` for types without a name. */
  readonly type: string
  readonly bytes: Uint8Array
  readonly edns: Edns | undefined
}

/** A message whose answer is only an error. */
export interface BadQuestion extends Header {
  readonly kind: 'bad'
  readonly rcode: 'FORMERR' | 'NOTIMP'
}

/** Returns the end of the question; undefined if its name is compressed or incomplete. */
const questionEnd = (bytes: Buffer): number | undefined => {
  let at = HEADER
  for (;;) {
    const length = bytes[at]
    if (length === undefined || length > MAX_LABEL) return undefined
    at += length + 1
    if (length === 0) return at + 4 <= bytes.length ? at + 4 : undefined
  }
}

/** Returns undefined for an invalid message. */
export const decode = (bytes: Buffer): dnsPacket.DecodedPacket | undefined =>
  recover(
    () => dnsPacket.decode(bytes),
    Error,
    () => undefined
  )

const subnetOf = (options: readonly dnsPacket.PacketOpt[]): ClientSubnet | undefined => {
  for (const option of options) {
    if (option.code !== SUBNET || option.ip === undefined) continue
    const data: unknown = Reflect.get(option, 'data')
    if (!Buffer.isBuffer(data) || data.length <= SCOPE_AT) continue
    const copy = Buffer.from(data)
    copy[SCOPE_AT] = 0
    return { address: option.ip, prefix: option.sourcePrefixLength ?? 0, bytes: copy }
  }
  return undefined
}

const ednsOf = ({ additionals = [] }: dnsPacket.DecodedPacket): Edns | undefined => {
  for (const record of additionals)
    if (record.type === 'OPT') {
      const { ednsVersion: version, udpPayloadSize: size, options } = record
      return { version, size, subnet: subnetOf(options) }
    }
  return undefined
}

/** Returns the question, or the error to answer with. Undefined for incomplete headers, and for responses: two servers never answer each other. */
export const readQuestion = (bytes: Buffer): DnsQuestion | BadQuestion | undefined => {
  if (bytes.length < HEADER) return undefined
  const flags = bytes.readUInt16BE(2)
  if ((flags & 0x8000) !== 0) return undefined
  const opcode = (flags >> 11) & 0xf
  const header = { id: bytes.readUInt16BE(0), opcode, recursionDesired: (flags & 0x0100) !== 0 }
  if (opcode !== QUERY && opcode !== NOTIFY) return { ...header, kind: 'bad', rcode: 'NOTIMP' }
  const end = bytes.readUInt16BE(4) === 1 ? questionEnd(bytes) : undefined
  const packet = end === undefined ? undefined : decode(bytes)
  const asked = packet?.questions?.[0]
  if (!packet || !asked || end === undefined) return { ...header, kind: 'bad', rcode: 'FORMERR' }
  return {
    ...header,
    kind: 'question',
    name: asked.name === '.' ? '' : asked.name,
    type: asked.type,
    bytes: bytes.subarray(HEADER, end),
    edns: ednsOf(packet)
  }
}

/** Returns the option's bytes with the scope, which is the prefix that the answer is valid for. */
export const withScope = ({ bytes, prefix }: ClientSubnet, bySubnet: boolean): Uint8Array => {
  const copy = Buffer.from(bytes)
  copy[SCOPE_AT] = bySubnet ? prefix : 0
  return copy
}
