// Forwards client requests to another datacenter: requests that name it, and writes that belong to the primary datacenter.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { invalid } from '../../../actors/refusal.js'
import { FORWARDED_HEADER } from '../members/server-proof.js'
import { refusalOf } from '../transport/response-text.js'
import { closeOnShutdown, pipeResponse, whileConnected, joinSockets } from '../transport/pipe-response.js'
import { isReadRequest, canRetry } from '../transport/retry-policy.js'
import { proxyRequestHeaders, UPGRADE } from '../transport/request-headers.js'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import { SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import {
  DATACENTER_HEADER,
  datacenterIn,
  sourceDatacenterOf,
  unknownDatacenter,
  urlTo,
  type DatacenterRequest,
  type DatacenterSocketRequest,
  type DatacenterRouting
} from '../../../http/wire/datacenter-routing.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import type { Route } from '../../../http/wire/route.js'
import { refuseConnection } from '../../../http/wire/sockets/client-errors.js'
import { DatacenterRequests, type DatacenterResponse } from './datacenter-requests.js'

/** Names the client to servers that trust this one (`http.trusted_proxies`). */
const CLIENT_HEADER = 'X-Forwarded-For'
/** Headers that this server sets itself, or that only concern the servers of one cluster. */
const OWN_HEADERS = [DATACENTER_HEADER, CLIENT_HEADER, FORWARDED_HEADER].map(name => name.toLowerCase())

@scoped(Lifecycle.ContainerScoped)
export class DatacenterForwarding implements DatacenterRouting {
  constructor(
    @inject(SETTINGS) private readonly settings: Settings,
    private readonly requests: DatacenterRequests,
    private readonly closing: ShutdownSignal
  ) {}

  requestedDatacenterOf(route: Route, request: RequestContext): string | undefined {
    const name = datacenterIn(route, request)
    if (name === undefined || name === this.settings.datacenter) return undefined
    if (!this.requests.knows(name)) throw unknownDatacenter(name)
    route.checkHere?.(request)
    return this.#sentTo(name, request)
  }

  owningDatacenterOf(route: Route, request: RequestContext): string | undefined {
    const { datacenter: own } = this.settings
    const home = route.belongsTo?.(request)
    if (home === undefined || home === own || !this.requests.knows(home)) return undefined
    // A request that names this datacenter was meant for it, so it counts as one that names none.
    return datacenterIn(route, request) === own ? home : this.#sentTo(home, request)
  }

  async forward(datacenter: string, asked: DatacenterRequest): Promise<number> {
    const { signal: closing } = this.closing
    const sent = { ...asked, headers: this.#headersOf(asked) }
    const { kind, answer } = await whileConnected(asked.response, isReadRequest(asked), closing, gone =>
      this.#send(datacenter, sent, gone)
    )
    if (kind === 'upgraded') throw new Error('another datacenter changed the protocol unasked')
    if (answer.headers['content-length'] === undefined) closeOnShutdown(closing, answer)
    await pipeResponse(answer, asked.response, closing)
    return answer.statusCode ?? 0
  }

  async tunnel(datacenter: string, { socket, head, ...asked }: DatacenterSocketRequest): Promise<number> {
    const { signal: closing } = this.closing
    const bodiless = { ...asked, body: undefined, sendContinue: () => {} }
    const headers = [...this.#headersOf(bodiless), ...UPGRADE]
    const attempt = await whileConnected(socket, true, closing, gone =>
      this.#send(datacenter, { ...bodiless, headers }, gone)
    )
    const { statusCode: status = 0 } = attempt.answer
    if (attempt.kind === 'upgraded') {
      joinSockets({ socket, head }, attempt)
      closeOnShutdown(closing, attempt.socket)
    } else refuseConnection(socket, await refusalOf(attempt.answer))
    return status
  }

  /** @throws Refusal if another datacenter sent the request here, because naming a third datacenter could loop */
  #sentTo(name: string, request: RequestContext): string {
    const from = sourceDatacenterOf(request)
    if (from === undefined) return name
    throw invalid(
      'datacenter.invalid',
      `Loop between datacenters: "${from.slice(0, 64)}" has sent the request to "${this.settings.datacenter}", which would send it on to "${name}"; the settings (datacenters, primary_datacenter) of the two must agree`
    )
  }

  #headersOf(asked: Omit<DatacenterRequest, 'response'>): readonly string[] {
    const { address } = asked.request
    return [...proxyRequestHeaders(asked, OWN_HEADERS), ...(address === '' ? [] : [CLIENT_HEADER, address])]
  }

  #send(
    name: string,
    asked: Omit<DatacenterRequest, 'response'> & { readonly headers: readonly string[] },
    gone: AbortSignal
  ): Promise<DatacenterResponse> {
    const { request, body, headers, sendContinue: onAsked } = asked
    const { method } = request
    const common = { method, url: urlTo(name, request), headers, body, onAsked }
    return this.requests.send(name, { ...common, isLong: method === 'GET', mayRepeat: canRetry(asked) }, gone)
  }
}
