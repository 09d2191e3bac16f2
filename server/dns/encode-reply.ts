// Truncates an answer to the allowed size and number of records (spec: queries.md §8.6).
import { withScope, type DnsQuestion } from './message-reader.js'
import { encodeMessage, type Message } from './message-writer.js'
import type { DnsRecord, Reply } from './records.js'

export type Transport = 'udp' | 'tcp'

export interface FitSettings {
  readonly udpAnswerLimit: number
  readonly enableTruncate: boolean
  readonly disableCompression: boolean
}

const PLAIN_UDP = 512
const MAX_UDP = 65_507
const MAX_TCP = 65_523
const MAX_PLAIN_ANSWERS = 8
const MAX_TCP_ANSWERS = 4096
const MAX_TCP_SERVICES = 1024

/** Bytes, whether they count before compression, and number of answers. */
interface Limits {
  readonly bytes: number
  readonly uncompressed: boolean
  readonly answers: number
}

const limitsOf = (question: DnsQuestion, transport: Transport, { udpAnswerLimit }: FitSettings): Limits => {
  if (transport === 'tcp') {
    const answers = question.type === 'SRV' ? MAX_TCP_SERVICES : MAX_TCP_ANSWERS
    return { bytes: MAX_TCP, uncompressed: false, answers }
  }
  const size = question.edns?.size ?? PLAIN_UDP
  if (size > PLAIN_UDP) return { bytes: Math.min(size, MAX_UDP), uncompressed: false, answers: Infinity }
  const answers = udpAnswerLimit > 0 ? Math.min(MAX_PLAIN_ANSWERS, udpAnswerLimit) : MAX_PLAIN_ANSWERS
  return { bytes: PLAIN_UDP, uncompressed: true, answers }
}

/** Keeps the first additional record of each remaining target. */
const forTargets = (answers: readonly DnsRecord[], additional: readonly DnsRecord[]): DnsRecord[] => {
  const targets = new Set(answers.map(record => (record.type === 'SRV' ? record.data.target : undefined)))
  return additional.filter(record => targets.delete(record.name))
}

const messageOf = (question: DnsQuestion, reply: Reply, recursion: boolean, truncated: boolean): Message => ({
  id: question.id,
  opcode: question.opcode,
  rcode: reply.rcode,
  authoritative: reply.authoritative,
  truncated,
  recursionDesired: question.recursionDesired,
  recursionAvailable: recursion || reply.recursion === true,
  question: question.bytes,
  answers: reply.answers,
  authority: reply.authority,
  additional: reply.additional,
  edns: question.edns && {
    size: question.edns.size,
    subnet: question.edns.subnet && withScope(question.edns.subnet, reply.bySubnet === true)
  }
})

/**
 * Encodes an answer within the limits of transport and client. Authority and texts are cut first, then answers from the end. A binary
 * search finds the number of answers.
 * @param recursion recursion is available
 */
export const encodeReply = (
  question: DnsQuestion,
  reply: Reply,
  transport: Transport,
  recursion: boolean,
  settings: FitSettings
): Buffer => {
  const limits = limitsOf(question, transport, settings)
  const compress = !settings.disableCompression
  const encode = (of: Reply, cut: boolean, compressed = compress): Buffer =>
    encodeMessage(
      messageOf(question, of, recursion, cut && settings.enableTruncate),
      question.name,
      compressed
    )
  /** Returns the bytes if they are within the limits. */
  const fitted = (of: Reply, cut: boolean): Buffer | undefined => {
    const bytes = encode(of, cut)
    const counted = compress && limits.uncompressed ? encode(of, cut, false) : bytes
    return counted.length <= limits.bytes ? bytes : undefined
  }
  const complete = reply.answers.length <= limits.answers ? fitted(reply, false) : undefined
  if (complete) return complete
  const cutTo = (count: number): Reply => {
    const answers = reply.answers.slice(0, count)
    return { ...reply, answers, authority: [], additional: forTargets(answers, reply.additional) }
  }
  const maxCount = Math.min(reply.answers.length, limits.answers)
  let best: Buffer | undefined
  let [enough, tooMany] = [0, maxCount + 1]
  // All allowed answers usually fit, so that is tried first.
  for (let count = maxCount; tooMany - enough > 1; count = (enough + tooMany) >> 1) {
    const bytes = fitted(cutTo(count), true)
    if (bytes) [enough, best] = [count, bytes]
    else tooMany = count
  }
  if (best) return best
  // One answer is kept, even with compression or without additional records.
  const last = [cutTo(1), { ...cutTo(1), additional: [] }, cutTo(0)]
  for (const candidate of last) {
    const bytes = encode(candidate, true)
    if (bytes.length <= limits.bytes) return bytes
  }
  return encode({ ...cutTo(0), additional: [] }, true)
}
