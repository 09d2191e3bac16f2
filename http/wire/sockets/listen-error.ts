// Errors of listening, with the settings to change.
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

export interface ListenAddress {
  /** Such as `HTTP` or `DNS over UDP`. */
  readonly what: string
  readonly address: string
  /** Absent for a Unix socket. */
  readonly port?: number
  /** The configuration keys that set the address. */
  readonly settings: readonly string[]
}

export class ListenError extends Error {
  override readonly name = 'ListenError'

  constructor({ what, address, port, settings }: ListenAddress, cause: unknown) {
    const code = codeOf(cause)
    const known = (port === undefined ? SOCKET_REASONS : REASONS)[code]
    const reason = known === undefined ? code : `${known} (${code})`
    const at = port === undefined ? address : `${address} port ${port}`
    super(`${what} cannot listen on ${at}: ${reason}; see ${settings.join(' and ')}`, {
      cause
    })
  }
}
