import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { Lifecycle, scoped } from 'tsyringe'
import { SiblingProcesses } from '../sibling-processes.js'
import type { RefusalCode } from '../../../actors/refusal-codes.js'
import { refusedWith } from '../response.js'
import { refuseConnection } from './client-errors.js'
import { LiveSettings } from '../../../server/settings/settings.js'

const SHARE = 0.8

const mostByFiles = (): number => {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? Infinity : Math.floor(Number(soft) * SHARE)
  } catch {
    return Infinity
  }
}

/** Clients of a Unix socket have no address. */
const isLoopback = (address: string): boolean =>
  address === '' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback')

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

@scoped(Lifecycle.ContainerScoped)
export class OpenConnections {
  readonly #sockets = new Set<Socket>()
  /** Connections in their TLS handshake by peer, since the TLS socket is a different object. */
  readonly #handshakes = new Map<string, Socket>()
  /** The connections that are closing with a refusal. */
  readonly refused = new WeakSet<Socket>()
  readonly #byAddress = new Map<string, number>()
  readonly #mostByFiles = mostByFiles()

  constructor(
    private readonly settings: LiveSettings,
    private readonly siblings: SiblingProcesses
  ) {}

  watch(server: Server): void {
    if (server instanceof TlsServer) {
      server.on('connection', (socket: Socket) => this.#begin(socket))
      server.on('secureConnection', socket => {
        this.#handshakes.delete(peerOf(socket))
        this.#open(socket)
      })
    } else server.on('connection', socket => this.#open(socket))
  }

  /** Closes connections without any received bytes, which Node treats as active. */
  closeUnused(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    for (const socket of this.#handshakes.values()) socket.destroy()
  }

  /** A connection over the limit is closed without a response before its handshake, when the client could not read one. */
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

  /** The connections of sibling processes, unless the limit is the file limit of this process. */
  get #elsewhere(): number {
    return this.settings.current.limits.http_max_conns > 0 ? this.siblings.all('connections') : 0
  }

  #open(socket: Socket): void {
    // Node emits `connection` again when a request asks for an unknown upgrade.
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
      perClient > 0 ? (this.#byAddress.get(address) ?? 0) + this.siblings.from('connections', address) : 0
    if (perClient > 0 && ofClient > perClient && !isLoopback(address))
      this.#refuse(
        socket,
        'request.too-many-connections',
        `Too many connections from ${address}: the limit is ${perClient} (limits.http_max_conns_per_client)`
      )
    else if (this.#sockets.size + this.#elsewhere > most)
      this.#refuse(
        socket,
        'request.connections-exhausted',
        `Too many connections: the limit is ${most} (limits.http_max_conns)`
      )
  }

  #refuse(socket: Socket, code: RefusalCode, text: string): void {
    this.refused.add(socket)
    socket.on('error', () => {})
    refuseConnection(socket, refusedWith(code, text))
  }

  #count(address: string, by: number): void {
    const count = (this.#byAddress.get(address) ?? 0) + by
    if (count > 0) this.#byAddress.set(address, count)
    else this.#byAddress.delete(address)
    const { http_max_conns: most, http_max_conns_per_client: perClient } = this.settings.current.limits
    if (most > 0 || perClient > 0) this.siblings.tell({ what: 'connections', address, count })
  }
}
