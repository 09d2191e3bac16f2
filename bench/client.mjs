// The load client: one request in flight per persistent connection, with minimal overhead.
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '../dist/test/support/client.js'
import { Connection } from './connection.mjs'
import { serveJobs } from './helper.mjs'
import { percentile } from './statistics.mjs'

/** How often a job that lasts as long as something is there looks for it, in ms. */
const LOOK_EVERY = 50

/**
 * One job: { scenario, context, port, connections, seconds }, or { …, count } for a number of requests, or { …, whileThere }
 * for as long as that path (with the context's token) is answered 200.
 * Its result: { requests, rate (per second), p50, p99 (ms), bytes (of the last answer), took (seconds) }.
 * A status other than 200 is a fault.
 */
serveJobs(async ({ scenario: path, context, port, connections, seconds, count, whileThere }) => {
  const { scenario } = await import(path)
  const pool = Array.from({ length: scenario.distinct ?? 1 }, (_, i) => bytesOf(scenario.request(i, context)))
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)))
  const latencies = []
  let next = 0
  const begin = performance.now()
  const end = seconds === undefined ? Infinity : begin + seconds * 1000
  const most = count ?? Infinity
  let isGone = false
  const isOver = now => now >= end || next >= most || isGone
  const take = () => pool[next++ % pool.length]
  const runs = Promise.all(open.map(connection => connection.run(take, isOver, latencies)))
  if (whileThere !== undefined) {
    // A fault of the load ends the wait.
    await Promise.race([absence(port, whileThere, context.token), runs])
    isGone = true
  }
  await runs
  const took = performance.now() - begin
  for (const connection of open) connection.close()
  const sorted = Float64Array.from(latencies).toSorted()
  return {
    requests: sorted.length,
    rate: (sorted.length / took) * 1000,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    bytes: open[0].bytes,
    took: took / 1000
  }
})

/** Resolves when the path is not answered 200 any more. */
async function absence(port, path, token) {
  while ((await send(`http://127.0.0.1:${port}`, 'GET', path, { token })).status === 200)
    await pause(LOOK_EVERY)
}

function bytesOf({ method, path, token, body, headers = {} }) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1']
  if (token !== undefined) lines.push(`X-Service-Token: ${token}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  const text = body === undefined ? '' : JSON.stringify(body)
  if (body !== undefined)
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`)
}
