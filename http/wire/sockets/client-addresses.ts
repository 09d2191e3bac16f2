// Client addresses behind trusted proxies (`http.trusted_proxies`).
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { SETTINGS } from '../../../server/settings/ports.js'
import type { Settings } from '../../../server/settings/settings.js'

@scoped(Lifecycle.ContainerScoped)
export class ClientAddresses {
  readonly #trusts: ReturnType<typeof proxyAddr.compile> | undefined

  constructor(@inject(SETTINGS) { http: { trusted_proxies: proxies } }: Settings) {
    this.#trusts = proxies.length > 0 ? proxyAddr.compile([...proxies]) : undefined
  }

  /** Returns the address of the peer, or the forwarded address if the peer is trusted; '' if it has disconnected. */
  of(request: IncomingMessage): string {
    return (this.#trusts ? proxyAddr(request, this.#trusts) : request.socket.remoteAddress) ?? ''
  }
}
