// DNS requests to a server under test.
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import dnsPacket from 'dns-packet'
import { serverInProcess, type TestServer, type TestServerOptions } from './server.js'
import type { Scope } from './process.js'

export interface DnsTestServer extends TestServer {
  readonly dnsPort: number
}

/** Starts a server with DNS on a free port, without ACLs by default. */
export const dnsServer = async (
  t: Scope,
  { config, ...rest }: TestServerOptions = {}
): Promise<DnsTestServer> => {
  const server = await serverInProcess(t, {
    ...rest,
    config: { ports: { http: 0, dns: 0 }, acl: { enabled: false }, ...config }
  })
  const { dnsPort } = server
  if (dnsPort === undefined) throw new Error('the server has no DNS')
  return { ...server, dnsPort }
}

interface DnsTestQuery {
  /** Response size over UDP, sent by EDNS. */
  readonly edns?: number
  /** Version of EDNS. */
  readonly version?: number
  /** Client subnet, a complete address. */
  readonly subnet?: string
  readonly tcp?: boolean
}

interface DnsTestAnswer extends dnsPacket.DecodedPacket {
  readonly rcode: string
  /** Size of the message. */
  readonly bytes: number
}

const optionsOf = (subnet: string | undefined): dnsPacket.PacketOpt[] =>
  subnet === undefined
    ? []
    : [
        {
          code: 8,
          type: 'CLIENT_SUBNET',
          ip: subnet,
          sourcePrefixLength: subnet.includes(':') ? 128 : 32,
          scopePrefixLength: 0
        }
      ]

/** Encodes a question. */
export const question = (
  name: string,
  type: string,
  { edns, version = 0, subnet }: DnsTestQuery = {}
): Buffer => {
  const additionals: dnsPacket.OptAnswer[] =
    edns === undefined && subnet === undefined
      ? []
      : [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: edns ?? 4096,
            extendedRcode: 0,
            ednsVersion: version,
            flags: 0,
            flag_do: false,
            options: optionsOf(subnet)
          }
        ]
  const asked: dnsPacket.Question = { name, type: isType(type) ? type : 'A' }
  const packet: dnsPacket.Packet = {
    type: 'query',
    id: 4711,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [asked]
  }
  const bytes = dnsPacket.encode({ ...packet, additionals })
  // The library replaces 0 with 4096.
  if (edns === 0) bytes.writeUInt16BE(0, dnsPacket.encodingLength(packet) + SIZE_AT)
  return bytes
}

/** Position of the size in an OPT record. */
const SIZE_AT = 3
const TYPES: readonly string[] = ['A', 'AAAA', 'SRV', 'TXT', 'NS', 'SOA', 'PTR', 'CNAME', 'MX']
const isType = (type: string): type is dnsPacket.RecordType => TYPES.includes(type)

const overUdp = (port: number, message: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    socket.on('error', reject)
    socket.on('message', answer => {
      socket.close()
      resolve(answer)
    })
    socket.send(message, port, '127.0.0.1')
  })

const overTcp = (port: number, message: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      socket.destroy()
      resolve(received.subarray(2))
    })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(message.length)
    socket.write(Buffer.concat([length, message]))
  })

/** Sends a question and waits for the response. */
export const ask = async (
  port: number,
  name: string,
  type: string,
  asking: DnsTestQuery = {}
): Promise<DnsTestAnswer> => {
  const answer = await (asking.tcp ? overTcp : overUdp)(port, question(name, type, asking))
  return { ...decodeDnsResponse(answer), bytes: answer.length }
}

/** @throws Error when the message is malformed */
export const decodeDnsResponse = (bytes: Buffer): dnsPacket.DecodedPacket & { readonly rcode: string } => {
  const packet = dnsPacket.decode(bytes)
  const rcode: unknown = Reflect.get(packet, 'rcode')
  return { ...packet, rcode: String(rcode) }
}

/** Returns the data of the answers as texts. */
export const dataOf = ({ answers = [] }: DnsTestAnswer): string[] =>
  answers.map(record => {
    if (record.type === 'SRV') return `${record.data.weight} ${record.data.port} ${record.data.target}`
    if (record.type === 'OPT') return ''
    return typeof record.data === 'string' ? record.data : JSON.stringify(record.data)
  })

/** Registers an instance of a service on its own node. */
export const register = async (
  server: TestServer,
  node: string,
  address: string,
  service: object,
  more: object = {}
): Promise<void> => {
  const body = { Node: node, Address: address, Service: service, ...more }
  const { status, text } = await server.send('PUT', '/v1/catalog/register', { body })
  if (status !== 200) throw new Error(`register ${node}: ${status} ${text}`)
}
