import { createServer, type Server, connect } from 'node:net'
import { execFile } from 'node:child_process'
import { chmod, chown, lstat, unlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Settings } from '../../../server/settings/settings.js'

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

const UNCHANGED = -1

class SocketFault extends Error {
  constructor(readonly code: string) {
    super(code)
  }
}

const isServed = (path: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', error => resolve(!('code' in error && error.code === 'ECONNREFUSED')))
  })

/** Deletes the socket of a process that has ended. @throws SocketFault if the path is in use */
const removeStale = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return
  if (!found.isSocket()) throw new SocketFault('EEXIST')
  if (await isServed(path)) throw new SocketFault('EADDRINUSE')
  await unlink(path)
}

const userId = async (user: string): Promise<number> => {
  if (/^\d+$/.test(user)) return Number(user)
  try {
    return Number((await promisify(execFile)('id', ['-u', user])).stdout)
  } catch {
    throw new SocketFault('ENOENT')
  }
}

/** Listens on a Unix socket, replacing the stale one of an ended process. @throws ListenError */
export const listenAtSocket = async (
  server: Server,
  path: string,
  { user, group, mode }: Settings['unix_sockets']
): Promise<void> => {
  try {
    const uid = user === undefined ? UNCHANGED : await userId(user)
    await removeStale(path)
    await listenAt(server, path)
    if (uid !== UNCHANGED || group !== undefined)
      await chown(path, uid, group === undefined ? UNCHANGED : Number(group))
    if (mode !== undefined) await chmod(path, Number.parseInt(mode, 8))
  } catch (error) {
    server.close()
    const settings = ['addresses.http', 'unix_sockets']
    throw new ListenError({ what: 'HTTP', address: `unix://${path}`, settings }, error)
  }
}
