import { createServer, type Server } from 'node:https'
import type { ServerOptions } from 'node:http'
import type { SecureContextOptions } from 'node:tls'
import type { TlsMaterial } from '../../../actors/outgoing/destinations.js'
import type { refuseUnreadable } from '../sockets/client-errors.js'
import type { Settings } from '../../../server/settings/settings.js'
import type { ClusterCertificates } from './cluster-certificates.js'
import { HTTP_SIDE, LiveMaterial, type MaterialServices } from './material.js'

const VERSIONS = { '1.2': 'TLSv1.2', '1.3': 'TLSv1.3' } as const

/** All suites of TLS 1.3, and the forward-secret AEAD suites of TLS 1.2. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  ...['ECDSA', 'RSA'].flatMap(signature =>
    ['AES256-GCM-SHA384', 'CHACHA20-POLY1305', 'AES128-GCM-SHA256'].map(
      cipher => `ECDHE-${signature}-${cipher}`
    )
  )
].join(':')

const contextOptions = (
  { ca, ...identity }: TlsMaterial,
  { tls }: Settings,
  cluster: ClusterCertificates
): SecureContextOptions => ({
  ...identity,
  // Without `verify_incoming`, only the cluster's authorities matter for client certificates.
  ca: [tls.http.verify_incoming || !cluster.isOn ? ca : undefined, cluster.material.ca].filter(
    authority => authority !== undefined
  ),
  minVersion: VERSIONS[tls.http.min_version],
  ciphers: CIPHERS
})

export class TlsListener {
  readonly server: Server
  #certificates: LiveMaterial | undefined
  #httpMaterial: TlsMaterial = {}

  /**
   * @param cluster the certificates of other servers
   * @param options those of the plain listener
   * @param refuse responds to malformed requests
   */
  constructor(
    private readonly services: MaterialServices,
    private readonly cluster: ClusterCertificates,
    options: ServerOptions,
    refuse: ReturnType<typeof refuseUnreadable>
  ) {
    const { limits, tls } = services.live.current
    this.server = createServer({
      ...options,
      requestCert: tls.http.verify_incoming || cluster.isOn,
      rejectUnauthorized: tls.http.verify_incoming,
      // An incomplete handshake may hold a connection as long as an incomplete request.
      ...(limits.request_timeout > 0 ? { handshakeTimeout: limits.request_timeout } : {})
    })
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // A client whose handshake failed cannot read a response.
      if (/^(HPE|ERR_HTTP)_/.test(error.code ?? '')) refuse(error, socket)
      else socket.destroy()
    })
  }

  /** Reads the certificates. @throws SettingsError when they cannot be used */
  open(): void {
    const { services, cluster, server } = this
    this.#certificates = new LiveMaterial(services, HTTP_SIDE, (material, next) => {
      this.#httpMaterial = material
      server.setSecureContext(contextOptions(material, next, cluster))
    })
    cluster.onChange(() =>
      server.setSecureContext(contextOptions(this.#httpMaterial, services.live.current, cluster))
    )
  }

  /** Stops accepting connections, and calls `closed` when every request in flight is answered. */
  close(closed: () => void): void {
    this.#certificates?.close()
    this.server.close(closed)
  }
}
