// Protection of browsers: rejects requests under foreign host names (DNS rebinding), and writes and WebSockets from pages of other
// origins. Programs send neither, so they are not affected.
import { refusedWith, type RouteResponse } from '../response.js'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { TLSSocket } from 'node:tls'
import cors from 'cors'
import { Lifecycle, scoped } from 'tsyringe'
import { familyOf, isLoopbackHost } from '../../../projections/ip-address.js'
import { httpAddressesOf } from '../../../server/settings/listeners.js'
import { LiveSettings, type Settings } from '../../../server/settings/settings.js'

const LONGEST_HOST = 260
const MOST_HOSTS = 256
const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])
const CONTAINER_HOST = 'host.docker.internal'
const ALL = '*'

/** Returns the host of a `Host` header in lower case, without its port; '' if malformed. */
const nameIn = (host: string): string => {
  const name = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host)
  return (name?.[1] ?? name?.[2] ?? '').toLowerCase().replace(/\.$/, '')
}

/** Returns the host and port of a URL; undefined if malformed, such as the `null` of opaque origins. */
const hostOf = (origin: string): string | undefined => {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}

/** Returns true if a request asks for a WebSocket (RFC 6455 §4.1). */
export const asksForWebSocket = (headers: IncomingHttpHeaders): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && /\bupgrade\b/i.test(headers.connection ?? '')

const isUnder = (name: string, domain: string): boolean => {
  const lower = domain.toLowerCase().replace(/\.$/, '')
  return name === lower || name.endsWith(`.${lower}`)
}

const isOwnName = (name: string, { domain, alt_domain, node_name, http }: Settings): boolean =>
  familyOf(name) !== undefined ||
  [hostname(), node_name, CONTAINER_HOST, ...http.allowed_hosts].some(own => own.toLowerCase() === name) ||
  ['localhost', domain, ...(alt_domain === undefined ? [] : [alt_domain])].some(own => isUnder(name, own))

const isLocal = (settings: Settings) => {
  const { tcp } = httpAddressesOf(settings)
  return { http: tcp !== undefined && isLoopbackHost(tcp), https: isLoopbackHost(settings.addresses.https) }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, LONGEST_HOST))

const withCors = cors({
  origin: true,
  exposedHeaders: '*',
  methods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'],
  maxAge: 600
})

/** Validates the Host and Origin of requests. Caches the result for each Host. */
@scoped(Lifecycle.ContainerScoped)
export class BrowserGuard {
  #settings: Settings
  /** True for listeners that only this machine can reach. */
  readonly #isLocal: Readonly<Record<'http' | 'https', boolean>>
  readonly #hosts = new Map<string, boolean>()

  constructor(private readonly live: LiveSettings) {
    this.#settings = live.current
    this.#isLocal = isLocal(live.current)
  }

  /** Returns the rejection of a request that a foreign page may have sent; undefined for all others. */
  refusalOf({
    method,
    headers,
    socket
  }: Pick<IncomingMessage, 'method' | 'headers' | 'socket'>): RouteResponse | undefined {
    const { host = '', origin } = headers
    if (
      host !== '' &&
      // No browser connects to a Unix socket, which has no address.
      socket.localAddress !== undefined &&
      this.#isLocal[socket instanceof TLSSocket ? 'https' : 'http'] &&
      !this.#isOwnHost(host)
    )
      return refusedWith(
        'request.host-unknown',
        `Host ${shown(host)} is no name of this server: http.allowed_hosts may name it`
      )
    if (origin === undefined || (READS.has(method) && !asksForWebSocket(headers))) return undefined
    if (hostOf(origin) === host.toLowerCase() || this.#isAllowedOrigin(origin)) return undefined
    const text = `Origin ${shown(origin)} is not this server, ${shown(host)}`
    return refusedWith(
      'request.origin-denied',
      `${text}: http.allowed_origins may name it for writes and WebSockets`
    )
  }

  isShared({ origin }: IncomingHttpHeaders): boolean {
    return origin !== undefined && this.#isAllowedOrigin(origin)
  }

  share(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    withCors(request, response, next)
  }

  #isAllowedOrigin(origin: string): boolean {
    const { allowed_origins: allowed } = this.live.current.http
    return allowed.some(one => one === ALL || one.toLowerCase() === origin.toLowerCase())
  }

  #isOwnHost(host: string): boolean {
    const settings = this.live.current
    if (settings !== this.#settings) this.#hosts.clear()
    this.#settings = settings
    let isOwn = this.#hosts.get(host)
    if (isOwn === undefined) {
      isOwn = settings.http.allowed_hosts.includes(ALL) || isOwnName(nameIn(host), settings)
      if (host.length <= LONGEST_HOST && this.#hosts.size < MOST_HOSTS) this.#hosts.set(host, isOwn)
    }
    return isOwn
  }
}
