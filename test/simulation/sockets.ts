// HTTP servers and clients of Node on the connections of the simulation.
import { EventEmitter } from 'node:events'
import http from 'node:http'
import { replaceIn } from './globals.js'
import type { Network, Place } from './network.js'

interface Wanted {
  readonly port?: number
  readonly reusePort?: boolean
}

/** Replaces the sockets of `node:http`. */
export const replaceSockets = (network: Network): void => {
  const places = new WeakMap<http.Server, Place>()
  const members = {
    listen(this: http.Server, wanted: Wanted | string, listening: () => void) {
      const place =
        typeof wanted === 'string'
          ? network.listen(this, wanted)
          : network.listen(this, wanted.port ?? 0, wanted.reusePort)
      places.set(this, place)
      network.world.after(0, () => {
        this.emit('listening')
        listening()
      })
      return this
    },
    address(this: http.Server) {
      return { port: places.get(this) ?? 0, address: '127.0.0.1', family: 'IPv4' }
    },
    close(this: http.Server, closed: () => void) {
      network.unlisten(this, places.get(this) ?? 0, closed)
      return this
    }
  }
  Object.assign(http.Server.prototype, members)
  // The product probes ports by such a server.
  replaceIn('node:net', { createServer: () => Object.assign(new EventEmitter(), members) })
  Object.assign(http.Agent.prototype, {
    createConnection: ({ port, socketPath }: { port: number | string; socketPath?: string }) => {
      const { current } = network.world
      if (!current) throw new Error('only a process of the simulation connects')
      return network.connect(socketPath ?? Number(port), current)
    }
  })
}
