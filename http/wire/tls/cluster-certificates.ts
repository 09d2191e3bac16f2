// The certificates by which the servers of a cluster know each other (`cluster.tls`), for what is asked and for what is served.
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import { LOGGER } from '../../../server/settings/ports.js'
import { Reload } from '../../../server/settings/reload.js'
import { LiveSettings } from '../../../server/settings/live-settings.js'
import { LiveMaterial } from './live-material.js'
import { certificatesIn, CLUSTER_SIDE } from './material.js'

const NONE_SHOWN = 'its connection shows no certificate'

const isFrom = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

/** What was found of the certificate of a connection. */
interface Known {
  readonly certificate: X509Certificate
  /** By which it was judged. */
  readonly authorities: readonly X509Certificate[]
  readonly isOfCluster: boolean
}

@scoped(Lifecycle.ContainerScoped)
export class ClusterCertificates {
  /** Whether the settings have the servers of the cluster show certificates. */
  readonly isOn: boolean
  #material: TlsMaterial = {}
  #authorities: readonly X509Certificate[] = []
  #changed: () => void = () => {}
  readonly #known = new WeakMap<TLSSocket, Known>()
  readonly #files: LiveMaterial | undefined

  /** @throws SettingsError when the certificates cannot be used */
  constructor(live: LiveSettings, reload: Reload, @inject(LOGGER) logger: Logger) {
    const { enabled, tls } = live.current.cluster
    this.isOn = enabled && tls.ca_file !== undefined
    if (this.isOn)
      this.#files = new LiveMaterial({ live, reload, logger }, CLUSTER_SIDE, material => {
        this.#material = material
        this.#authorities = certificatesIn(material.ca ?? '')
        this.#changed()
      })
  }

  /** What this server shows, and whom it trusts; another object after each change. */
  get material(): TlsMaterial {
    return this.#material
  }

  /** For connections to other servers of the cluster, which trust its CA alone. */
  context(): SecureContext {
    return createSecureContext(this.#material)
  }

  /** Calls after each change of the material. */
  onChange(changed: () => void): void {
    this.#changed = changed
  }

  /**
   * Why the connection of a request is not one of a server of the cluster; undefined when it is. OpenSSL has found its certificate to be
   * valid when it was made, by any of the authorities that the listener goes by. That one of the cluster has signed it, and that it is still
   * valid, is checked here. What was shown between the two does not count: Node does not always tell of it.
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

  /** Looks at the files no more. */
  close(): void {
    this.#files?.close()
  }

  #knownOf(socket: TLSSocket): Known | undefined {
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
