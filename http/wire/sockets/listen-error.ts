// Why a port cannot be had, for the one who configured it.
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'the process may not use the port',
  ENOTFOUND: 'the host name is not known'
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Where somebody wanted to listen. */
export interface Place {
  /** As in `HTTP` or `DNS over UDP`. */
  readonly what: string
  readonly address: string
  readonly port: number
  /** The keys of the configuration that say so. */
  readonly settings: readonly string[]
}

/** The message names the address, the port, the reason, and the settings to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError'

  constructor({ what, address, port, settings }: Place, cause: unknown) {
    const code = codeOf(cause)
    const reason = REASONS[code] === undefined ? code : `${REASONS[code]} (${code})`
    super(`${what} cannot listen on ${address} port ${port}: ${reason}; see ${settings.join(' and ')}`, {
      cause
    })
  }
}
