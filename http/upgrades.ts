// Requests that ask to go on in another protocol. WebSockets go through the routes like any request; whoever asks for
// something else, such as HTTP/2, or asks by another method than GET, is answered in HTTP/1.1 as if he had not asked.
import { ServerResponse, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { WebSocketServer, type WebSocket } from 'ws'

/** What clients may send in one message; nothing that they send has a meaning. */
const MOST_RECEIVED_BYTES = 1024

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** What has arrived after the request. */
  readonly head: Buffer
}

const upgrades = new WeakMap<ServerResponse, Upgrade>()
const webSockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MOST_RECEIVED_BYTES
})

/** Whether a request with these headers asks for a WebSocket. */
export const asksForWebSocket = (headers: IncomingMessage['headers']): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && /\bupgrade\b/i.test(headers.connection ?? '')

/** Makes a WebSocket of the connection of a response whose head was not sent. */
export const toWebSocket = (
  response: ServerResponse,
  opened: (socket: WebSocket, connection: Socket) => void
): void => {
  const upgrade = upgrades.get(response)
  if (!upgrade) {
    response.destroy()
    return
  }
  const { request, socket, head } = upgrade
  response.detachSocket(socket)
  webSockets.handleUpgrade(request, socket, head, webSocket => opened(webSocket, socket))
}

/** The head of a request as it came, without the wish for another protocol. */
const headWithoutUpgrade = ({ method, url, httpVersion, rawHeaders }: IncomingMessage): string => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]]
    if (!/^(upgrade|http2-settings|connection)$/i.test(name)) lines.push(`${name}: ${value}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/**
 * Serves the upgrades of a server.
 * @param serve handles a request whose body, if any, is not read
 */
export const serveUpgrades = (
  server: Server,
  serve: (request: IncomingMessage, response: ServerResponse) => void
): void => {
  server.on('upgrade', (request, socket: Socket, head) => {
    if (request.method !== 'GET' || !asksForWebSocket(request.headers)) {
      // Back into the server, as a connection whose first bytes are still to come.
      socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(request), 'latin1'), head]))
      server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket)
      return
    }
    // An error of the connection is followed by its close, which is what counts.
    socket.on('error', () => {})
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => socket.end())
    upgrades.set(response, { request, socket, head })
    serve(request, response)
  })
}
