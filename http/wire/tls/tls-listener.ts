// HTTP over TLS: a server like the one without in all that concerns requests, whose certificates can be replaced.
import { createServer, type Server } from 'node:https'
import type { RequestListener, ServerOptions } from 'node:http'
import type { SecureContextOptions } from 'node:tls'
import type { TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import type { App } from '../../program/app.js'
import type { refuseUnreadable } from '../sockets/client-errors.js'
import { ListenError } from '../sockets/listen-error.js'
import { listenersOf } from '../../settings/listeners.js'
import type { Settings } from '../../settings/settings.js'
import { LiveMaterial } from './live-material.js'

const VERSIONS = { '1.2': 'TLSv1.2', '1.3': 'TLSv1.3' } as const

/** What a handshake goes by. */
const contextOptions = (material: TlsMaterial, { tls }: Settings): SecureContextOptions => ({
  ...material,
  minVersion: VERSIONS[tls.http.min_version]
})

export class TlsListener {
  readonly server: Server
  readonly #app: App
  readonly #certificates: LiveMaterial

  /**
   * @param options as of the server without TLS
   * @param refuse answers what is no request
   * @throws SettingsError when the certificates cannot be used
   */
  constructor(
    app: App,
    options: ServerOptions,
    refuse: ReturnType<typeof refuseUnreadable>,
    handle: RequestListener
  ) {
    this.#app = app
    const { settings } = app
    const { limits, tls } = settings
    this.server = createServer(
      {
        ...options,
        requestCert: tls.http.verify_incoming,
        rejectUnauthorized: true,
        // Who does not finish its handshake holds a connection for no longer than who does not finish its request.
        ...(limits.request_timeout > 0 ? { handshakeTimeout: limits.request_timeout } : {})
      },
      handle
    )
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Of what went wrong before HTTP was spoken, nobody would understand an answer.
      if (/^(HPE|ERR_HTTP)_/.test(error.code ?? '')) refuse(error, socket)
      else socket.destroy()
    })
    this.#certificates = new LiveMaterial(app, 'http', (material, next) =>
      this.server.setSecureContext(contextOptions(material, next))
    )
  }

  /** Answers with the port. @throws ListenError */
  listen(): Promise<number> {
    const [place] = listenersOf(this.#app.settings).filter(({ what }) => what === 'HTTPS')
    if (!place) throw new Error('ports.https is off')
    const { server } = this
    return new Promise((resolve, reject) => {
      server.once('error', error => reject(new ListenError(place, error)))
      server.listen(place.port, place.address, () => {
        const address = server.address()
        resolve(typeof address === 'object' && address ? address.port : place.port)
      })
    })
  }

  /** Stops accepting, and resolves when every request in flight is answered. */
  close(): Promise<void> {
    this.#certificates.close()
    return new Promise(resolve => this.server.close(() => resolve()))
  }
}
