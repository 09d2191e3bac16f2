// The load client: one request in flight on each of some kept connections, with as little work of its own as possible.
import { Connection } from './connection.mjs'
import { serveJobs } from './helper.mjs'
import { percentile } from './statistics.mjs'

/**
 * One job: { scenario, context, port, connections, seconds } or { …, count } for a number of requests.
 * Its result: { requests, rate (per second), p50, p99 (ms), bytes (of the last answer) }.
 * A status other than 200 is a fault.
 */
serveJobs(async ({ scenario: path, context, port, connections, seconds, count }) => {
  const { scenario } = await import(path)
  const pool = Array.from({ length: scenario.distinct ?? 1 }, (_, i) => bytesOf(scenario.request(i, context)))
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)))
  const latencies = []
  let next = 0
  const begin = performance.now()
  const end = seconds === undefined ? Infinity : begin + seconds * 1000
  const most = count ?? Infinity
  const isOver = now => now >= end || next >= most
  const take = () => pool[next++ % pool.length]
  await Promise.all(open.map(connection => connection.run(take, isOver, latencies)))
  const took = performance.now() - begin
  for (const connection of open) connection.close()
  const sorted = Float64Array.from(latencies).toSorted()
  return {
    requests: sorted.length,
    rate: (sorted.length / took) * 1000,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    bytes: open[0].bytes
  }
})

function bytesOf({ method, path, token, body, headers = {} }) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1']
  if (token !== undefined) lines.push(`X-Service-Token: ${token}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  const text = body === undefined ? '' : JSON.stringify(body)
  if (body !== undefined)
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`)
}
