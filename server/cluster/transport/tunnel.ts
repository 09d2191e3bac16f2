// A WebSocket that another server has opened, joined to the connection of the client: what one sends, the other gets.
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { pipeline, type Duplex } from 'node:stream'

/** One end, with what of it was read already. */
interface End {
  readonly socket: Duplex
  readonly head: Buffer
}

const headOf = ({ statusCode = 0, rawHeaders }: IncomingMessage): string => {
  const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Gives the client the answer that opens the WebSocket, and all that follows. When one end closes, so does the other. */
export const joinSockets = (client: End, server: End & { readonly answer: IncomingMessage }): void => {
  client.socket.write(headOf(server.answer))
  client.socket.write(server.head)
  server.socket.write(client.head)
  // Whichever breaks off, `pipeline` closes the other, which is all there is to say.
  pipeline(client.socket, server.socket, () => {})
  pipeline(server.socket, client.socket, () => {})
}
