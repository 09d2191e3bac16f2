// How the server shows itself, and whom it believes, where it connects by TLS: for checks and to providers.
import tls, { createSecureContext, type SecureContext } from 'node:tls'
import { Lifecycle, scoped } from 'tsyringe'

/** PEM texts; what is absent is not configured. */
export interface TlsMaterial {
  /** Certificates to trust. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** Absent before Node 22.15, which tells only of the authorities that it brings itself. */
const { getCACertificates }: Partial<typeof tls> = tls

/** Whom a connection believes that is told nothing. */
const usualAuthorities = (): readonly string[] => getCACertificates?.('default') ?? tls.rootCertificates

@scoped(Lifecycle.ContainerScoped)
export class OutgoingTls {
  #material: TlsMaterial = {}
  #usual: SecureContext | undefined

  /** The material itself; another object after each change. */
  get material(): TlsMaterial {
    return this.#material
  }

  /** For connections from now on. */
  use(material: TlsMaterial): void {
    this.#material = material
    this.#usual = undefined
  }

  /**
   * For a connection. Servers must be signed by `ca` where it is given, else by a certificate of the material
   * or by one that the system trusts. Undefined where the system's defaults are all there is to it.
   */
  contextFor(ca: string): SecureContext | undefined {
    const { ca: own, ...identity } = this.#material
    if (ca !== '') return createSecureContext({ ...identity, ca })
    if (own === undefined && identity.cert === undefined) return undefined
    this.#usual ??= createSecureContext({
      ...identity,
      ...(own === undefined ? {} : { ca: [...usualAuthorities(), own] })
    })
    return this.#usual
  }
}
