// Listening on a Unix socket with an owner and permissions.
import { execFile } from 'node:child_process'
import { chmod, chown, lstat, unlink } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { promisify } from 'node:util'
import type { Settings } from '../../../server/settings/settings.js'
import { listenAt, ListenError } from './listen.js'

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

/** Returns the ID of a user by its name or ID. @throws SocketFault */
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
