// Output that is waiting for slow readers.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Lifecycle, scoped } from 'tsyringe'

/** Counts the bytes of complete responses that are not sent yet. Streams limit their own output. */
@scoped(Lifecycle.ContainerScoped)
export class OutputBackpressure {
  readonly #of = new Map<Socket, number>()
  #total = 0
  readonly #heard = new WeakSet<Socket>()

  get total(): number {
    return this.#total
  }

  of(socket: Socket): number {
    return this.#of.get(socket) ?? 0
  }

  /** Counts the unsent bytes of an ended response until they are sent. */
  note(response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes === 0) return
    const { socket } = response.req
    this.#hear(socket)
    this.#set(socket, this.of(socket) + bytes)
    response.once('close', () => {
      if (this.#of.has(socket)) this.#set(socket, this.of(socket) - bytes)
    })
  }

  /** A queued response does not emit `close` when its connection closes. */
  #hear(socket: Socket): void {
    if (this.#heard.has(socket)) return
    this.#heard.add(socket)
    socket.once('close', () => this.#set(socket, 0))
  }

  #set(socket: Socket, bytes: number): void {
    this.#total += bytes - this.of(socket)
    if (bytes > 0) this.#of.set(socket, bytes)
    else this.#of.delete(socket)
  }
}
