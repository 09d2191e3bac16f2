// A node:http server with a fixed response, as a baseline for the cost of HTTP in Node.
import { createServer } from 'node:http'
import { serveJobs } from './helper.mjs'

let answer
const server = createServer((request, response) => {
  if (request.method === 'GET') return reply(response)
  request.on('data', () => undefined)
  request.on('end', () => reply(response))
})

function reply(response) {
  response.writeHead(answer.status, answer.headers)
  response.end(answer.body)
}

/** Sets the response, whose keep-alive header sets the idle timeout. Returns the port. */
serveJobs(async ({ status, headers, body, keepAlive }) => {
  answer = { status, headers, body: Buffer.from(body, 'base64') }
  const seconds = /timeout=(\d+)/.exec(keepAlive ?? '')?.[1]
  if (seconds !== undefined) server.keepAliveTimeout = Number(seconds) * 1000
  if (!server.listening) await new Promise(listening => server.listen(0, '127.0.0.1', listening))
  return server.address().port
})
