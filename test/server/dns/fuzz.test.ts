// Random and mutated packets: DNS never fails, never answers an answer, and never says more than may be said.
// ANNALS_FUZZ_PACKETS is how many, ANNALS_FUZZ_SEED plays a failure again.
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { once } from 'node:events'
import test from 'ava'
import dnsPacket from 'dns-packet'
import { DnsQueryHandler } from '../../../server/dns/query-handler.js'
import { ask, dataOf, decodeDnsResponse, dnsServer, question, register } from '../../support/dns.js'
import { seeded, type Random } from '../../support/random.js'

const PACKETS = Number(process.env['ANNALS_FUZZ_PACKETS'] ?? 5000)
const SEED = Number(process.env['ANNALS_FUZZ_SEED'] ?? Date.now() % 1_000_000)
const HEADER = 12
const PLAIN = 512
const INSTANCES = 40

const LABELS = [
  'web', 'service', 'node', 'query', 'connect', 'addr', 'ingress', 'consul', 'dc1', 'dc9', '_web', '_tcp', 'ns',
  'in-addr', 'arpa', 'ip6', '0a000001', 'x'.repeat(63), 'é', '${', '*', '10', 'big', 'tpl-a'
] // prettier-ignore
const TYPES = ['A', 'AAAA', 'SRV', 'TXT', 'NS', 'SOA', 'PTR', 'CNAME', 'MX']
const SIZES = [0, 100, 511, 512, 513, 1232, 4096, 65_535]

const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[random.below(list.length)]

const randomName = (random: Random): string => {
  const labels = Array.from({ length: random.below(6) }, () => pick(random, LABELS) ?? '')
  return [...labels, ...(random.below(4) > 0 ? ['consul'] : [])].join('.')
}

const validPacket = (random: Random): Buffer => {
  const type = pick(random, TYPES) ?? 'A'
  const edns = random.below(2) === 0 ? {} : { edns: pick(random, SIZES) ?? 0 }
  const subnet = random.below(4) === 0 ? { subnet: pick(random, ['10.0.0.1', '2001:db8::1']) ?? '' } : {}
  return question(randomName(random), type, { ...edns, ...subnet })
}

const mutated = (random: Random): Buffer => {
  let packet = validPacket(random)
  for (let times = 1 + random.below(8); times > 0; times--) {
    const at = random.below(packet.length)
    switch (random.below(4)) {
      case 0:
        packet[at] = random.below(256)
        break
      case 1:
        packet = packet.subarray(0, Math.max(at, 1))
        break
      case 2:
        packet = Buffer.concat([packet.subarray(0, at), noise(random, random.below(20)), packet.subarray(at)])
        break
      default:
        packet[at] = (packet[at] ?? 0) ^ (1 << random.below(8))
    }
  }
  return packet
}

const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.below(256)))

const anyPacket = (random: Random): Buffer => {
  const kind = random.below(10)
  if (kind === 0) return noise(random, random.below(600))
  return kind < 3 ? validPacket(random) : mutated(random)
}

/** Most bytes that the sender of a packet takes over UDP. */
const allowed = (packet: Buffer): number => {
  try {
    const { additionals = [] } = dnsPacket.decode(packet)
    const edns = additionals.find(record => record.type === 'OPT')
    return Math.max(PLAIN, edns?.type === 'OPT' ? edns.udpPayloadSize : 0)
  } catch {
    return PLAIN
  }
}

test(`${PACKETS} random and mutated packets (seed ${SEED})`, async t => {
  const server = await dnsServer(t)
  for (let i = 0; i < INSTANCES; i++)
    await register(
      server,
      `n${i}`,
      `10.0.0.${i}`,
      { Service: 'big', Port: i + 1 },
      { NodeMeta: { rack: 'r'.repeat(100) } }
    )
  await register(server, 'w', 'elsewhere.web.service.consul', {
    Service: 'web',
    Address: 'web.service.consul'
  })
  const body = { Name: 'tpl-', Template: { Type: 'name_prefix_match' }, Service: { Service: 'big' } }
  await server.send('POST', '/v1/query', { body })
  const answering = server.scope.resolve(DnsQueryHandler)
  const random = seeded(SEED)
  const socket = createSocket('udp4')
  for (let i = 0; i < PACKETS; i++) {
    const packet = anyPacket(random)
    const transport = random.below(5) === 0 ? 'tcp' : 'udp'
    const said = packet.toString('hex')
    const answer = await answering.answer(packet, transport, '127.0.0.1')
    if (i % 50 === 0) socket.send(packet, server.dnsPort, '127.0.0.1')
    if (answer === undefined) {
      const isAnswer = packet.length >= HEADER && ((packet[2] ?? 0) & 0x80) !== 0
      if (packet.length >= HEADER && !isAnswer) t.fail(`no answer to ${said}`)
      continue
    }
    const { flag_qr, id, rcode, flag_ra } = decodeDnsResponse(answer)
    if ((packet[2] ?? 0) & 0x80) t.fail(`an answer to an answer: ${said}`)
    if (!flag_qr || id !== packet.readUInt16BE(0)) t.fail(`not an answer to ${said}`)
    if (transport === 'udp' && answer.length > allowed(packet))
      t.fail(`${answer.length} bytes for ${allowed(packet)}: ${said}`)
    // Without recursors, only an unknown reverse name has no other answer.
    if (rcode === 'SERVFAIL' && !flag_ra) t.fail(`failed at ${said}`)
  }
  socket.close()
  const junk = connect(server.dnsPort, '127.0.0.1')
  junk.write(noise(random, 3000))
  junk.end()
  await once(junk.resume(), 'close')
  t.is(dataOf(await ask(server.dnsPort, 'n7.node.consul', 'A')).join(), '10.0.0.7')
  t.is(dataOf(await ask(server.dnsPort, 'n7.node.consul', 'A', { tcp: true })).join(), '10.0.0.7')
})
