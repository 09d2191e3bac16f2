// A raw connection to a server.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'
import { ROOT, type TestServer } from './server.js'

export class Wire {
  #received = ''

  constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.#received += text))
    // A reset connection counts as closed.
    socket.on('error', () => {})
  }

  static async open(t: ExecutionContext, { port }: TestServer): Promise<Wire> {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    return new Wire(socket)
  }

  /** Returns the head of a request with the management token, and what follows it. */
  request(start: string, headers: readonly string[], body = ''): void {
    const lines = [`${start} HTTP/1.1`, 'Host: localhost', `X-Service-Token: ${ROOT}`, ...headers]
    this.send(`${lines.join('\r\n')}\r\n\r\n${body}`)
  }

  send(bytes: string): void {
    this.socket.write(bytes, 'latin1')
  }

  /** Waits for a match, and removes it with everything before it. */
  async read(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#received)
      if (found) {
        const end = found.index + found[0].length
        const text = this.#received.slice(0, end)
        this.#received = this.#received.slice(end)
        return text
      }
      if (this.socket.closed) throw new Error(`${pattern} did not come, but: ${this.#received}`)
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')])
    }
  }

  /** The received text that was not read yet. */
  get unread(): string {
    return this.#received
  }

  /** Half-closes the connection. */
  end(): void {
    this.socket.end()
  }

  reset(): void {
    this.socket.resetAndDestroy()
  }

  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, 'close')
  }
}
