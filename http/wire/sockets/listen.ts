// Listening on TCP ports and Unix sockets.
import { createServer, type Server } from 'node:net'
import { ListenError, type ListenAddress } from './listen-error.js'

/** A port of one process (`alone`), or of several processes of one server, of which the `first` listens before others `join`. */
export type Sharing = 'alone' | 'first' | 'joins'

type TcpAddress = ListenAddress & { readonly port: number }

/** Resolves with the port. @throws ListenError */
export const listen = async (server: Server, place: TcpAddress, sharing: Sharing): Promise<number> => {
  if (sharing === 'first') await assertFree(place)
  return bind(server, place, sharing !== 'alone')
}

/** A shared port opens even if another server uses it, so it is probed exclusively first. @throws ListenError */
const assertFree = async (place: TcpAddress): Promise<void> => {
  if (place.port === 0) return
  const probe = createServer()
  await bind(probe, place, false)
  await new Promise<void>(resolve => probe.close(() => resolve()))
}

const bind = (server: Server, place: TcpAddress, reusePort: boolean): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', error => reject(new ListenError(place, error)))
    server.listen({ port: place.port, host: place.address, reusePort }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : place.port)
    })
  })

export const listenAt = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
