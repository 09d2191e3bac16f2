// HTTP over TLS: a server like the one without in all that concerns requests, whose certificates can be replaced.
import { createServer, type Server } from 'node:https'
import type { ServerOptions } from 'node:http'
import type { SecureContextOptions } from 'node:tls'
import type { TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import type { refuseUnreadable } from '../sockets/client-errors.js'
import type { Settings } from '../../../server/settings/settings.js'
import type { ClusterCertificates } from './cluster-certificates.js'
import { HTTP_SIDE } from './material.js'
import { LiveMaterial, type MaterialServices } from './live-material.js'

const VERSIONS = { '1.2': 'TLSv1.2', '1.3': 'TLSv1.3' } as const

/** Suites of TLS 1.3, and those of TLS 1.2 that are forward-secret and authenticate what they encrypt. */
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

/** What a handshake goes by. */
const contextOptions = (
  { ca, ...identity }: TlsMaterial,
  { tls }: Settings,
  cluster: ClusterCertificates
): SecureContextOptions => ({
  ...identity,
  // Those of clients count only where they are asked for.
  ca: [tls.http.verify_incoming || !cluster.isOn ? ca : undefined, cluster.material.ca].filter(
    authority => authority !== undefined
  ),
  minVersion: VERSIONS[tls.http.min_version],
  ciphers: CIPHERS
})

export class TlsListener {
  readonly server: Server
  readonly #certificates: LiveMaterial
  readonly #ofCluster: ClusterCertificates
  #ofHttp: TlsMaterial = {}

  /**
   * @param cluster by which other servers show who they are; they end with this
   * @param options as of the server without TLS
   * @param refuse answers what is no request
   * @throws SettingsError when the certificates cannot be used
   */
  constructor(
    services: MaterialServices,
    cluster: ClusterCertificates,
    options: ServerOptions,
    refuse: ReturnType<typeof refuseUnreadable>
  ) {
    const { limits, tls } = services.live.current
    this.server = createServer({
      ...options,
      requestCert: tls.http.verify_incoming || cluster.isOn,
      rejectUnauthorized: tls.http.verify_incoming,
      // Who does not finish its handshake holds a connection for no longer than who does not finish its request.
      ...(limits.request_timeout > 0 ? { handshakeTimeout: limits.request_timeout } : {})
    })
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Of what went wrong before HTTP was spoken, nobody would understand an answer.
      if (/^(HPE|ERR_HTTP)_/.test(error.code ?? '')) refuse(error, socket)
      else socket.destroy()
    })
    this.#ofCluster = cluster
    this.#certificates = new LiveMaterial(services, HTTP_SIDE, (material, next) => {
      this.#ofHttp = material
      this.server.setSecureContext(contextOptions(material, next, cluster))
    })
    cluster.onChange(() =>
      this.server.setSecureContext(contextOptions(this.#ofHttp, services.live.current, cluster))
    )
  }

  /** Stops accepting, and calls when every request in flight is answered. */
  close(closed: () => void): void {
    this.#certificates.close()
    this.#ofCluster.close()
    this.server.close(closed)
  }
}
