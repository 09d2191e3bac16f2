// Answers that were made and wait for their readers.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Lifecycle, scoped } from 'tsyringe'

/** Counts the bytes of whole answers that wait to be sent. Streams hold back what their readers do not take by themselves. */
@scoped(Lifecycle.ContainerScoped)
export class OutputBackpressure {
  /** By connection, while anything waits on it. */
  readonly #of = new Map<Socket, number>()
  #total = 0
  /** Connections whose end is heard of. */
  readonly #heard = new WeakSet<Socket>()

  /** Over all connections. */
  get total(): number {
    return this.#total
  }

  /** Of one connection. */
  of(socket: Socket): number {
    return this.#of.get(socket) ?? 0
  }

  /** To be called when a response has been ended: what of it is not sent yet is counted until it is. */
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

  /** A response whose turn has not come hears nothing of the end of its connection by itself. */
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
