// The certificates by which the servers of a cluster authenticate each other (`cluster.tls`).
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { TlsMaterial } from '../../../actors/outgoing/destinations.js'
import { LOGGER } from '../../../server/settings/ports.js'
import { Reload } from '../../../server/settings/reload.js'
import { LiveSettings } from '../../../server/settings/settings.js'
import { LiveMaterial, certificatesIn, CLUSTER_SIDE } from './material.js'

const NONE_SHOWN = 'its connection shows no certificate'

const isFrom = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

interface Verification {
  readonly certificate: X509Certificate
  readonly authorities: readonly X509Certificate[]
  readonly isOfCluster: boolean
}

@scoped(Lifecycle.ContainerScoped)
export class ClusterCertificates {
  readonly isOn: boolean
  #material: TlsMaterial = {}
  #authorities: readonly X509Certificate[] = []
  #changed: () => void = () => {}
  readonly #known = new WeakMap<TLSSocket, Verification>()
  #files: LiveMaterial | undefined

  constructor(
    readonly live: LiveSettings,
    readonly reload: Reload,
    @inject(LOGGER) readonly logger: Logger
  ) {
    const { enabled, tls } = live.current.cluster
    this.isOn = enabled && tls.ca_file !== undefined
  }

  /** Reads the certificates if `cluster.tls` is set. @throws SettingsError when they cannot be used */
  open(): void {
    if (!this.isOn) return
    this.#files = new LiveMaterial(this, CLUSTER_SIDE, material => {
      this.#material = material
      this.#authorities = certificatesIn(material.ca ?? '')
      this.#changed()
    })
  }

  /** This server's certificate and the trusted authorities; another object after each change. */
  get material(): TlsMaterial {
    return this.#material
  }

  context(): SecureContext {
    return createSecureContext(this.#material)
  }

  onChange(changed: () => void): void {
    this.#changed = changed
  }

  /**
   * Returns why the sender of a request is not a server of the cluster; undefined if it is. OpenSSL verified the certificate at the
   * handshake, against all authorities of the listener. This checks that the cluster's CA signed it and that it has not expired.
   * Renegotiated certificates are ignored, since Node does not reliably report them.
   * @param now epoch ms
   */
  faultOf({ socket }: Pick<IncomingMessage, 'socket'>, now: number): string | undefined {
    if (!(socket instanceof TLSSocket)) return NONE_SHOWN
    const known = this.#knownOf(socket)
    if (!known) return NONE_SHOWN
    if (!socket.authorized)
      return `the certificate of its connection is not valid: ${String(socket.authorizationError)}`
    if (!known.isOfCluster)
      return 'the certificate of its connection is not signed by one of cluster.tls.ca_file'
    if (now > Date.parse(known.certificate.validTo)) return 'the certificate of its connection has expired'
    return undefined
  }

  close(): void {
    this.#files?.close()
  }

  #knownOf(socket: TLSSocket): Verification | undefined {
    const before = this.#known.get(socket)
    if (before?.authorities === this.#authorities) return before
    const certificate = socket.getPeerX509Certificate()
    if (!certificate) return undefined
    const authorities = this.#authorities
    const isOfCluster = authorities.some(authority => isFrom(certificate, authority))
    const known = { certificate, authorities, isOfCluster }
    this.#known.set(socket, known)
    return known
  }
}
