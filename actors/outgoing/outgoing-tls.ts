import tls, { createSecureContext, type SecureContext } from 'node:tls'
import { Lifecycle, scoped } from 'tsyringe'

/** PEM texts; absent ones are not configured. */
export interface TlsMaterial {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** Absent before Node 22.15, which lists only its bundled authorities. */
const { getCACertificates }: Partial<typeof tls> = tls

/** Authorities that connections trust by default. */
const defaultAuthorities = (): readonly string[] => getCACertificates?.('default') ?? tls.rootCertificates

@scoped(Lifecycle.ContainerScoped)
export class OutgoingTls {
  #material: TlsMaterial = {}
  #defaultContext: SecureContext | undefined

  /** Another object after each change. */
  get material(): TlsMaterial {
    return this.#material
  }

  /** Applies to new connections. */
  use(material: TlsMaterial): void {
    this.#material = material
    this.#defaultContext = undefined
  }

  /**
   * Returns the context of a connection. Servers must be signed by `ca` if set, otherwise by an authority of
   * the material or one that the system trusts. Undefined when the system's defaults apply.
   */
  contextFor(ca: string): SecureContext | undefined {
    const { ca: own, ...identity } = this.#material
    if (ca !== '') return createSecureContext({ ...identity, ca })
    if (own === undefined && identity.cert === undefined) return undefined
    this.#defaultContext ??= createSecureContext({
      ...identity,
      ...(own === undefined ? {} : { ca: [...defaultAuthorities(), own] })
    })
    return this.#defaultContext
  }
}
