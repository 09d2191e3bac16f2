// DNS responses over UDP, compared with an echo server.
import dnsPacket from 'dns-packet'
import { alternate } from '../compare.mjs'
import { Helper } from '../helper.mjs'
import { median } from '../statistics.mjs'

const INSTANCES = 10
const IN_FLIGHT = 32
const QUESTIONS = [
  ['web.service.consul', 'A'],
  ['web.query.consul', 'SRV']
]

async function* measure(tools) {
  const server = await tools.start({ acl: 'allow' })
  for (let i = 0; i < INSTANCES; i++)
    await server.call('PUT', '/v1/catalog/register', {
      Node: `node-${i}`,
      Address: `10.0.0.${i}`,
      Service: { Service: 'web', Port: 8000 + i }
    })
  await server.call('POST', '/v1/query', { Name: 'web', Service: { Service: 'web' } })
  const client = new Helper(tools.scope, 'dns-client.mjs')
  const echoPort = await new Helper(tools.scope, 'dns-echo.mjs').ask({})
  for (const [name, type] of QUESTIONS) {
    const message = dnsPacket.encode({ type: 'query', id: 1, questions: [{ name, type }] }).toString('base64')
    const load = port =>
      client.ask({ port, message, inFlight: IN_FLIGHT, seconds: tools.seconds }).then(({ rate }) => rate)
    const { ours, echo } = await alternate(tools.rounds, [
      ['ours', () => load(server.dnsPort)],
      ['echo', () => load(echoPort)]
    ])
    const ratio = median(ours.map((rate, i) => rate / echo[i]))
    yield (
      `dns              ${type.padEnd(4)} ${name}: ours ${Math.round(median(ours))}/s, bare echo ${Math.round(median(echo))}/s, ` +
      `ratio ${ratio.toFixed(2)}`
    )
  }
  await server.stop()
}

export const scenario = { name: 'dns', measure }
