// The connections of a server: how many there may be, and those that Node does not close by itself at its end.
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { Lifecycle, scoped } from 'tsyringe'
import { SiblingProcesses } from '../sibling-processes.js'
import { refuseConnection } from './client-errors.js'
import { LiveSettings } from '../../../server/settings/live-settings.js'

/** Of the files that the process may open, this part is for connections; the rest is for the log, DNS, checks and others. */
const SHARE = 0.8

/** Connections for which the process may open files; Infinity where the system does not say. */
const mostByFiles = (): number => {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? Infinity : Math.floor(Number(soft) * SHARE)
  } catch {
    return Infinity
  }
}

/** Whether a client is on this machine; those of a Unix socket have no address. */
const isLoopback = (address: string): boolean =>
  address === '' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback')

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** The open connections of servers. Those over a limit are answered at once and closed. */
@scoped(Lifecycle.ContainerScoped)
export class OpenConnections {
  readonly #sockets = new Set<Socket>()
  /** Those whose TLS handshake is not over, by who is at their other end: the socket that comes of it is another one. */
  readonly #handshakes = new Map<string, Socket>()
  readonly #refused = new WeakSet<Socket>()
  readonly #byAddress = new Map<string, number>()
  readonly #mostByFiles = mostByFiles()

  constructor(
    private readonly settings: LiveSettings,
    private readonly others: SiblingProcesses
  ) {}

  /** Counts those of one more server. */
  watch(server: Server): void {
    if (server instanceof TlsServer) {
      server.on('connection', (socket: Socket) => this.#begin(socket))
      server.on('secureConnection', socket => {
        this.#handshakes.delete(peerOf(socket))
        this.#open(socket)
      })
    } else server.on('connection', socket => this.#open(socket))
  }

  /** Whether what comes on a connection is not looked at any more. */
  isRefused(socket: Socket): boolean {
    return this.#refused.has(socket)
  }

  /** Closes those on which nothing has come yet; to Node a request is arriving on them. */
  closeUnused(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    for (const socket of this.#handshakes.values()) socket.destroy()
  }

  /** What is over the limit before its handshake is closed: nobody would understand an answer. */
  #begin(socket: Socket): void {
    const peer = peerOf(socket)
    if (this.#sockets.size + this.#handshakes.size + this.#elsewhere >= this.#most) {
      socket.destroy()
      return
    }
    this.#handshakes.set(peer, socket)
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === socket) this.#handshakes.delete(peer)
    })
  }

  get #most(): number {
    return this.settings.current.limits.http_max_conns || this.#mostByFiles
  }

  /** Of those that are limited together. What the process may open is its own. */
  get #elsewhere(): number {
    return this.settings.current.limits.http_max_conns > 0 ? this.others.all('connections') : 0
  }

  #open(socket: Socket): void {
    // A request that asks for another protocol than ours comes as a connection again.
    if (this.#sockets.has(socket)) return
    const address = socket.remoteAddress ?? ''
    this.#sockets.add(socket)
    this.#count(address, 1)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      this.#count(address, -1)
    })
    this.#refuseOver(socket, address)
  }

  #refuseOver(socket: Socket, address: string): void {
    const { http_max_conns_per_client: perClient } = this.settings.current.limits
    const most = this.#most
    const ofClient =
      perClient > 0 ? (this.#byAddress.get(address) ?? 0) + this.others.from('connections', address) : 0
    if (perClient > 0 && ofClient > perClient && !isLoopback(address))
      this.#refuse(
        socket,
        429,
        `Too many connections from ${address}: the limit is ${perClient} (limits.http_max_conns_per_client)`
      )
    else if (this.#sockets.size + this.#elsewhere > most)
      this.#refuse(socket, 503, `Too many connections: the limit is ${most} (limits.http_max_conns)`)
  }

  #refuse(socket: Socket, status: number, text: string): void {
    this.#refused.add(socket)
    socket.on('error', () => {})
    refuseConnection(socket, status, text)
  }

  #count(address: string, by: number): void {
    const count = (this.#byAddress.get(address) ?? 0) + by
    if (count > 0) this.#byAddress.set(address, count)
    else this.#byAddress.delete(address)
    const { http_max_conns: most, http_max_conns_per_client: perClient } = this.settings.current.limits
    if (most > 0 || perClient > 0) this.others.tell({ what: 'connections', address, count })
  }
}
