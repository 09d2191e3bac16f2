// Compares the server with a bare node:http server that returns the same bytes, in alternating rounds.
import { request as open } from 'node:http'
import { send } from '../dist/test/support/client.js'
import { median, medianRound, roundText, targetText } from './statistics.mjs'

/** Headers that every node:http server adds. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive'])
/** Maximum difference in bytes between two responses of a scenario, due to the length of numbers. */
const SAME_SIZE = 32

/** Yields one line for each number of connections. */
export async function* compareWithBare(tools, scenario) {
  const server = await tools.start({})
  const context = await scenario.prepare(server)
  const other = await besideOf(tools, scenario)
  const barePort = await imitate(tools, server.port, scenario.request(0, context))
  for (const connections of tools.connections) {
    const load = (port, from = context) =>
      tools.client.ask({ scenario: scenario.path, context: from, port, connections, seconds: tools.seconds })
    const { ours, bare, beside } = await alternate(tools.rounds, [
      ['ours', () => load(server.port)],
      ['bare', () => load(barePort)],
      ...(other ? [['beside', () => load(other.port, other.context)]] : [])
    ])
    checkSize(ours, bare)
    const ratio = median(ours.map((round, i) => round.rate / bare[i].rate))
    const name = `${scenario.name.padEnd(14)} ${String(connections).padStart(3)} conns`
    const target = targetText(ratio, scenario.targets?.[connections])
    const record = (whose, rounds, more) =>
      tools.report?.figure({
        scenario: scenario.name,
        connections,
        server: whose,
        ...medianRound(rounds),
        ...more
      })
    record('Annals', ours, { ratio })
    record('bare', bare)
    if (beside) record('other', beside)
    const text = beside ? `  beside ${roundText(medianRound(beside))}` : ''
    yield `${name}  ours ${roundText(medianRound(ours))}  bare ${roundText(medianRound(bare))}${text}  ratio ${ratio.toFixed(2)}${target}`
  }
  await server.stop()
}

/** The other server, filled for a scenario; undefined if there is none, or it does not support the scenario. */
async function besideOf(tools, scenario) {
  if (!tools.startBeside) return undefined
  try {
    const server = await tools.startBeside()
    const context = await scenario.prepare(server)
    const { method, path, token, body } = scenario.request(0, context)
    const { status, text } = await send(server.base, method, path, { token, body })
    if (status !== 200) throw new Error(`it answered ${status} ${text}`)
    return { port: server.port, context }
  } catch (error) {
    console.error(`${scenario.name} is not measured beside the other server: ${error.message}`)
    return undefined
  }
}

/**
 * Runs the named measurements in turn, `rounds` times, every other round in reverse order, after one warm-up round.
 * @param measurements [name, () => Promise<result>]
 * @returns the results by name, in the order of the rounds
 */
export async function alternate(rounds, measurements) {
  const results = Object.fromEntries(measurements.map(([name]) => [name, []]))
  for (const [, measure] of measurements) await measure()
  for (let round = 0; round < rounds; round++)
    for (const [name, measure] of round % 2 === 0 ? measurements : measurements.toReversed())
      results[name].push(await measure())
  return results
}

/** Configures the bare server with the current response of the server. Returns its port. */
export async function imitate(tools, port, request) {
  const answer = await capture(port, request)
  if (answer.status !== 200)
    throw new Error(`${request.method} ${request.path} was answered ${answer.status} ${answer.body}`)
  const headers = []
  for (let i = 0; i < answer.rawHeaders.length; i += 2)
    if (!OWN_HEADERS.has(answer.rawHeaders[i].toLowerCase()))
      headers.push(answer.rawHeaders[i], answer.rawHeaders[i + 1])
  const keepAlive = answer.rawHeaders.findIndex(name => name.toLowerCase() === 'keep-alive') + 1
  return tools.bare.ask({
    status: answer.status,
    headers,
    body: answer.body.toString('base64'),
    keepAlive: keepAlive === 0 ? undefined : answer.rawHeaders[keepAlive]
  })
}

function capture(port, { method, path, token, body }) {
  const headers = { connection: 'keep-alive' }
  if (token !== undefined) headers['x-service-token'] = token
  const text = body === undefined ? undefined : JSON.stringify(body)
  if (text !== undefined) headers['content-length'] = Buffer.byteLength(text)
  return new Promise((resolve, reject) => {
    const sent = open({ host: '127.0.0.1', port, method, path, headers, agent: false }, response => {
      const chunks = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () => {
        const { statusCode: status, rawHeaders } = response
        resolve({ status, rawHeaders, body: Buffer.concat(chunks) })
        sent.destroy()
      })
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

function checkSize(ours, bare) {
  const difference = Math.abs(ours[0].bytes - bare[0].bytes)
  if (difference > SAME_SIZE)
    throw new Error(`the bare server's answer has ${bare[0].bytes} bytes, ours ${ours[0].bytes}`)
}
