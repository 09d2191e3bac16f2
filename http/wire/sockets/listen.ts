// Listening where the settings say so.
import { createServer, type Server } from 'node:net'
import { ListenError, type ListenAddress } from './listen-error.js'

/** Whether a port belongs to one process; or to several of one server, of which it is the `first` to listen or `joins` the others. */
export type Sharing = 'alone' | 'first' | 'joins'

type TcpPlace = ListenAddress & { readonly port: number }

/** Answers with the port. @throws ListenError */
export const listen = async (server: Server, place: TcpPlace, sharing: Sharing): Promise<number> => {
  if (sharing === 'first') await assertFree(place)
  return bind(server, place, sharing !== 'alone')
}

/** Where a port is shared, the system asks nobody who else listens there. @throws ListenError */
const assertFree = async (place: TcpPlace): Promise<void> => {
  if (place.port === 0) return
  const probe = createServer()
  await bind(probe, place, false)
  await new Promise<void>(resolve => probe.close(() => resolve()))
}

const bind = (server: Server, place: TcpPlace, reusePort: boolean): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', error => reject(new ListenError(place, error)))
    server.listen({ port: place.port, host: place.address, reusePort }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : place.port)
    })
  })

/** Listens at a path of this machine's files, which whoever may write it reaches. */
export const listenAt = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
