// A TCP proxy that can be held, delayed, or shut.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { freePort, listens, type Scope } from './process.js'
import { until } from './wait.js'

export interface TcpProxy {
  readonly port: number
  /** Number of connections whose last bytes came from the client: it waits for an answer. */
  readonly awaited: number
  /** Holds all bytes in both directions. Connections stay open. */
  hold(): void
  /** Resumes, beginning with the held bytes. */
  pass(): void
  /** Delays both directions by so many ms from now on. */
  delay(ms: number): void
  /** Closes all connections, and rejects new ones. */
  shut(): Promise<void>
  /** Accepts connections again. */
  open(): Promise<void>
}

/** Starts a proxy for a port of this machine. It ends with the scope. @param target the port, or a function that returns it per connection */
export const startTcpProxy = async (scope: Scope, target: number | (() => number)): Promise<TcpProxy> => {
  const sockets = new Set<Socket>()
  const awaited = new Set<Socket>()
  let held = false
  let delay = 0
  const keep = (socket: Socket, other: Socket): void => {
    const onTheWay: (() => void)[] = []
    const arrive = (step: () => void): void => {
      if (delay === 0 && onTheWay.length === 0) return step()
      onTheWay.push(step)
      setTimeout(() => onTheWay.shift()?.(), delay)
    }
    sockets.add(socket)
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      arrive(() => other.destroy())
    })
    socket.on('data', chunk => arrive(() => other.write(chunk)))
    socket.on('end', () => arrive(() => other.end()))
    if (held) socket.pause()
  }
  const server = createServer({ allowHalfOpen: true }, near => {
    const port = typeof target === 'number' ? target : target()
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    keep(near, far)
    keep(far, near)
    near.on('data', () => awaited.add(near))
    far.on('data', () => awaited.delete(near))
    near.on('close', () => awaited.delete(near))
  })
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  // A port that no connection gets while the proxy is shut. Another process may have taken it since it was looked for.
  while (!(await listens(server, { port: await freePort(), host: '127.0.0.1' })));
  scope.teardown(() => {
    if (server.listening) server.close()
    endAll()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the gate has no port')
  return {
    port: address.port,
    get awaited() {
      return awaited.size
    },
    hold: () => {
      held = true
      for (const socket of sockets) socket.pause()
    },
    pass: () => {
      held = false
      for (const socket of sockets) socket.resume()
    },
    delay: ms => {
      delay = ms
    },
    shut: async () => {
      const closed = once(server, 'close')
      server.close()
      endAll()
      await closed
      // Clients in this thread notice the end of their connections.
      for (let turns = 0; turns < 3; turns++) await setImmediate()
    },
    open: async () => {
      // Another process may look at this moment whether the port is free.
      await until('the port is free', () =>
        listen(address.port).then(
          () => true,
          () => false
        )
      )
    }
  }
}
