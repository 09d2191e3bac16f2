// Encodes DNS messages (RFC 1035 §4, RFC 6891) with name compression, which the decoding library lacks.
import { addressBytes } from '../../projections/ip-address.js'
import type { DnsRecord, ResponseCode } from './records.js'

const TYPES: Readonly<Record<DnsRecord['type'], number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  TXT: 16,
  AAAA: 28,
  SRV: 33
}
const OPT = 41
const SUBNET = 8
const INTERNET = 1

export const RCODES: Readonly<Record<ResponseCode, number>> = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  /** Its higher bits are in the OPT record. */
  BADVERS: 16
}

const QR = 0x8000
const AA = 0x0400
const TC = 0x0200
const RD = 0x0100
const RA = 0x0080

const POINTER = 0xc000
/** The largest offset of a compression pointer. */
const LAST_POINTER = 0x3fff
const MAX_LABEL = 63
const MAX_TEXT = 255
const MAX_NAME = 255
const HEADER = 12

interface EdnsAnswer {
  /** As in the question. */
  readonly size: number
  /** The client subnet option with its scope. */
  readonly subnet: Uint8Array | undefined
}

export interface Message {
  readonly id: number
  readonly opcode: number
  readonly rcode: ResponseCode
  readonly authoritative: boolean
  readonly truncated: boolean
  readonly recursionDesired: boolean
  readonly recursionAvailable: boolean
  /** The question as received; empty for none. */
  readonly question: Uint8Array
  readonly answers: readonly DnsRecord[]
  readonly authority: readonly DnsRecord[]
  readonly additional: readonly DnsRecord[]
  readonly edns: EdnsAnswer | undefined
}

const labelsOf = (name: string): Buffer[] =>
  name === '' || name === '.' ? [] : name.split('.').map(label => Buffer.from(label))

/** Names have at most 63 bytes per label and 255 in total. */
const isWritable = (name: string): boolean => {
  const labels = labelsOf(name)
  const length = labels.reduce((sum, label) => sum + label.length + 1, 1)
  return length <= MAX_NAME && labels.every(label => label.length > 0 && label.length <= MAX_LABEL)
}

const isWritableRecord = (record: DnsRecord): boolean => {
  if (!isWritable(record.name)) return false
  if (record.type === 'SRV') return isWritable(record.data.target)
  if (record.type === 'SOA') return isWritable(record.data.mname) && isWritable(record.data.rname)
  return !['CNAME', 'NS', 'PTR'].includes(record.type) || isWritable(record.data)
}

class Writer {
  #buffer = Buffer.allocUnsafe(1024)
  length = 0
  readonly #names = new Map<string, number>()

  constructor(private readonly compress: boolean) {}

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#buffer[this.length++] = value
  }

  short(value: number): void {
    this.#reserve(2)
    this.length = this.#buffer.writeUInt16BE(value & 0xffff, this.length)
  }

  long(value: number): void {
    this.#reserve(4)
    this.length = this.#buffer.writeUInt32BE(value >>> 0, this.length)
  }

  raw(bytes: Uint8Array | readonly number[]): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  setShort(at: number, value: number): void {
    this.#buffer.writeUInt16BE(value, at)
  }

  /** Remembers a name for compression, unless its labels contain dots or invalid text. */
  remember(name: string, at: number): void {
    if (!this.compress) return
    const labels = labelsOf(name).map(label => Buffer.concat([Buffer.of(label.length), label]))
    const plain = Buffer.concat([...labels, Buffer.of(0)])
    if (this.#buffer.subarray(at, at + plain.length).equals(plain)) this.#note(name, at)
  }

  /** @param plain disables compression, as for targets of SRV records (RFC 2782) */
  name(name: string, plain = false): void {
    let rest = name === '.' ? '' : name
    while (rest !== '') {
      const known = plain ? undefined : this.#names.get(rest)
      if (known !== undefined) {
        this.short(POINTER | known)
        return
      }
      if (this.compress && !plain && this.length <= LAST_POINTER) this.#names.set(rest, this.length)
      const dot = rest.indexOf('.')
      const label = Buffer.from(dot < 0 ? rest : rest.slice(0, dot))
      this.byte(label.length)
      this.raw(label)
      rest = dot < 0 ? '' : rest.slice(dot + 1)
    }
    this.byte(0)
  }

  #note(name: string, at: number): void {
    let offset = at
    let rest = name
    while (rest !== '' && rest !== '.') {
      this.#names.set(rest, offset)
      const dot = rest.indexOf('.')
      if (dot < 0) return
      offset += Buffer.byteLength(rest.slice(0, dot)) + 1
      rest = rest.slice(dot + 1)
    }
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.length + count))
    this.#buffer.copy(larger, 0, 0, this.length)
    this.#buffer = larger
  }
}

const writeText = (writer: Writer, text: string): void => {
  const bytes = Buffer.from(text)
  let at = 0
  do {
    const part = bytes.subarray(at, at + MAX_TEXT)
    writer.byte(part.length)
    writer.raw(part)
    at += MAX_TEXT
  } while (at < bytes.length)
}

const writeData = (writer: Writer, record: DnsRecord): void => {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      writer.raw(addressBytes(record.data))
      break
    case 'CNAME':
    case 'NS':
    case 'PTR':
      writer.name(record.data)
      break
    case 'TXT':
      writeText(writer, record.data)
      break
    case 'SRV':
      writer.short(record.data.priority)
      writer.short(record.data.weight)
      writer.short(record.data.port)
      writer.name(record.data.target, true)
      break
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data
      writer.name(mname)
      writer.name(rname)
      for (const value of [serial, refresh, retry, expire, minimum]) writer.long(value)
    }
  }
}

const writeRecord = (writer: Writer, record: DnsRecord): void => {
  writer.name(record.name)
  writer.short(TYPES[record.type])
  writer.short(INTERNET)
  writer.long(record.ttl)
  const at = writer.length
  writer.short(0)
  writeData(writer, record)
  writer.setShort(at, writer.length - at - 2)
}

const writeEdns = (writer: Writer, { size, subnet }: EdnsAnswer, rcode: number): void => {
  writer.byte(0)
  writer.short(OPT)
  writer.short(size)
  writer.byte(rcode >> 4)
  writer.byte(0) // Version of EDNS.
  writer.short(0)
  writer.short(subnet ? subnet.length + 4 : 0)
  if (!subnet) return
  writer.short(SUBNET)
  writer.short(subnet.length)
  writer.raw(subnet)
}

const flags = (message: Message): number =>
  QR |
  (message.opcode << 11) |
  (message.authoritative ? AA : 0) |
  (message.truncated ? TC : 0) |
  (message.recursionDesired ? RD : 0) |
  (message.recursionAvailable ? RA : 0) |
  (RCODES[message.rcode] & 0xf)

/** Encodes a message without records whose names are invalid. @param questionName as written in the question */
export const encodeMessage = (message: Message, questionName: string, compress: boolean): Buffer => {
  const writer = new Writer(compress)
  const sections = [message.answers, message.authority, message.additional].map(records =>
    records.filter(isWritableRecord)
  )
  const [answers = [], authority = [], additional = []] = sections
  writer.short(message.id)
  writer.short(flags(message))
  writer.short(message.question.length > 0 ? 1 : 0)
  writer.short(answers.length)
  writer.short(authority.length)
  writer.short(additional.length + (message.edns ? 1 : 0))
  writer.raw(message.question)
  if (message.question.length > 0) writer.remember(questionName, HEADER)
  for (const records of sections) for (const record of records) writeRecord(writer, record)
  if (message.edns) writeEdns(writer, message.edns, RCODES[message.rcode])
  return writer.bytes
}
