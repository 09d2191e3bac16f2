// Listening on TCP ports and Unix sockets.
import { createServer, type Server } from 'node:net'

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'the process may not use the port',
  ENOTFOUND: 'the host name is not known'
}

const SOCKET_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EEXIST: 'the path is taken by a file that is not a socket',
  ENOENT: 'the user of unix_sockets.user is not known',
  // Node also reports this for a folder that does not exist.
  EACCES: 'the folder does not exist, or the process may not write there',
  EPERM: 'the process may not change the owner of the socket',
  EINVAL: 'the path is too long for a socket'
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

interface ListenAddress {
  /** Such as `HTTP` or `DNS over UDP`. */
  readonly what: string
  readonly address: string
  /** Absent for a Unix socket. */
  readonly port?: number
  readonly settings: readonly string[]
}

export class ListenError extends Error {
  override readonly name = 'ListenError'

  constructor({ what, address, port, settings }: ListenAddress, cause: unknown) {
    const code = codeOf(cause)
    const known = (port === undefined ? SOCKET_REASONS : REASONS)[code]
    const reason = known === undefined ? code : `${known} (${code})`
    const at = port === undefined ? address : `${address} port ${port}`
    super(`${what} cannot listen on ${at}: ${reason}; see ${settings.join(' and ')}`, { cause })
  }
}

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
