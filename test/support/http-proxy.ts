// A server in front of another one, whose answers a test may replace.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Scope } from './process.js'

/** Answers a request in its own way and returns true, or leaves it to the proxy. @param body of the server's answer, which it may change */
type Replace = (url: string, response: ServerResponse, body: Buffer) => boolean

/** Starts a proxy that ends with the scope. @param base is followed by the path of a request @returns its address */
export const startHttpProxy = async (scope: Scope, base: string, replace: Replace): Promise<string> => {
  const pass = async ({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '', 'x-service-token': token = '' } = headers
    const answer = await fetch(base + url, {
      headers: { authorization, 'x-service-token': String(token) }
    })
    const body = Buffer.from(await answer.arrayBuffer())
    if (!replace(url, response, body)) response.writeHead(answer.status).end(body)
  }
  const proxy = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1')
  scope.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  await once(proxy, 'listening')
  const address = proxy.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
