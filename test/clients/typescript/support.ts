// Servers that fail in ways of one's choice, and what clients make of them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { freePort, type Scope } from '../../support/process.js'

/** A server that handles each request with the next of these, and tells how many have come. */
export const playing = async (
  t: Scope,
  ...handlers: readonly ((request: IncomingMessage, response: ServerResponse) => void)[]
): Promise<{ readonly address: string; readonly requests: IncomingMessage[] }> => {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    const handle = handlers[Math.min(requests.length, handlers.length - 1)]
    requests.push(request)
    handle?.(request, response)
  })
  const port = await freePort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: `127.0.0.1:${port}`, requests }
}

export const answering =
  (status: number, text: string, headers: Record<string, string> = {}) =>
  (_request: unknown, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(text)
export const breaking = ({ socket }: IncomingMessage): void => void socket.destroy()

/** What a promise is refused with. */
export const refusal = async <T extends Error>(
  promise: Promise<unknown>,
  kind: new (...given: never[]) => T
): Promise<T> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof kind) return error
    throw error
  }
  throw new Error(`it was to be refused with ${kind.name}`)
}
