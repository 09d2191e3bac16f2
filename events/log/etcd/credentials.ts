// The token of a user of etcd, which etcd asks for where its authentication is on.
import { GrpcFailure, Status, type GrpcConnection } from '../../grpc.js'
import { AUTHENTICATE } from './messages.js'

export interface EtcdUser {
  readonly user: string
  readonly password: string
}

/** Etcd hashes the password, which takes long on purpose; in ms. */
const DEADLINE = 5000

/** Says of a call, which etcd did not make, that it needs another token. */
const STALE = ['user name is empty', 'revision of auth store is old']

const isStale = ({ code, message }: GrpcFailure): boolean =>
  code === Status.UNAUTHENTICATED ||
  (code === Status.INVALID_ARGUMENT && STALE.some(text => message.includes(text)))

export class Credentials {
  /** Undefined before etcd was asked; empty while its authentication is off. */
  #token: string | undefined
  #asking: Promise<void> | undefined

  constructor(private readonly user: EtcdUser | undefined) {}

  /** Of each call. */
  get headers(): Readonly<Record<string, string>> {
    return this.#token ? { token: this.#token } : {}
  }

  /** Resolves when there is a token, if one is needed. Requests that wait share one answer. @throws GrpcFailure */
  async have(connection: GrpcConnection): Promise<void> {
    const { user: name, password } = this.user ?? {}
    if (name === undefined || password === undefined || this.#token !== undefined) return
    this.#asking ??= this.#ask(connection, { name, password }).finally(() => (this.#asking = undefined))
    await this.#asking
  }

  /** Forgets an expired token. @param used headers of the failed call. @returns true if etcd did nothing and the call may be repeated */
  isRenewable(error: unknown, used: Readonly<Record<string, string>>): boolean {
    if (!this.user || !(error instanceof GrpcFailure) || !isStale(error)) return false
    // Another call may have renewed it meanwhile.
    if ((this.#token ?? '') === (used['token'] ?? '')) this.#token = undefined
    return true
  }

  async #ask(
    connection: GrpcConnection,
    request: { readonly name: string; readonly password: string }
  ): Promise<void> {
    const { path, encode, decode } = AUTHENTICATE
    try {
      this.#token = decode(await connection.ask(path, encode(request), DEADLINE)).token ?? ''
    } catch (error) {
      if (!(error instanceof GrpcFailure) || error.code !== Status.FAILED_PRECONDITION) throw error
      this.#token = ''
    }
  }
}
