// Paths and methods: which route a request goes to, and what is said to those that go to none.
import type { IncomingMessage, ServerResponse } from 'node:http'
import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way'
import { Lifecycle, scoped } from 'tsyringe'
import { Pages } from '../pages/pages.js'
import { empty, plain } from './answer.js'
import type { PathParameters } from './bodies/incoming.js'
import { announcesTooMuch, boundOf, hasBody, tooLarge } from './bodies/request-body.js'
import { Exchange } from './exchange.js'
import { ExchangeServices } from './exchange-services.js'
import { FarExchange } from './far-exchange.js'
import { methodsOf } from './route.js'
import { routerPath } from './route-path.js'
import { ServedRoutes, type ServedRoute } from './served-routes.js'
import { movedTo, originForm, slashlessPaths, strayAnswer } from './stray-paths.js'

/** Methods of which a known path tells whether it has them, in the order in which `Allow` names those. */
const METHODS: HTTPMethod[] = ['OPTIONS', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'TRACE']
/** Characters of a segment of a path. */
const LONGEST_PARAMETER = 8192

/** Answers a request whose headers have arrived, and whose body nobody needs. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void

@scoped(Lifecycle.ContainerScoped)
export class Routing {
  readonly #services: ExchangeServices
  readonly #router: Instance<HTTPVersion.V1>

  constructor(services: ExchangeServices, { all }: ServedRoutes, pages: Pages) {
    this.#services = services
    const { writer } = services
    const badPath = (response: ServerResponse, fault: string): void =>
      writer.write(response, plain(400, `Bad request: ${fault}`))
    this.#router = findMyWay({
      maxParamLength: LONGEST_PARAMETER,
      // `Query` reads it, if anybody asks.
      querystringParser: () => ({}),
      defaultRoute: this.#bodiless((request, response) => this.#nowhere(request, response)),
      onBadUrl: (path, _request, response) => badPath(response, `'${path}' is not a valid url component`),
      onMaxParamLength: (path, _request, response) =>
        badPath(response, `'${path}' is exceeding the max param length`)
    })
    for (const served of all) this.#lead(served)
    this.#refuseOtherMethods(all)
    this.#leadToSlashes(all)
    this.#leadToPages(pages)
  }

  /** Has a request handled by the route that it means, or tells that there is none. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#router.lookup(request, response)
  }

  #lead(served: ServedRoute): void {
    const services = this.#services
    const { path, aliases = [] } = served.route
    const handler = (request: IncomingMessage, response: ServerResponse, params: PathParameters): void => {
      const stray = strayAnswer(request.method ?? '', request.url ?? '')
      if (stray) services.writer.write(response, stray)
      else if (!this.#isElsewhere(served, request, response, params))
        new Exchange(services, served, request, response, params).run()
    }
    for (const one of [path, ...aliases])
      this.#router.on([...methodsOf(served.route)], routerPath(one), handler)
  }

  /** Has another datacenter answer, where the request names one. */
  #isElsewhere(
    served: ServedRoute,
    message: IncomingMessage,
    response: ServerResponse,
    params: PathParameters
  ): boolean {
    const services = this.#services
    if (!services.datacenters) return false
    const request = services.requestOf(served.route, message, response, params)
    return new FarExchange(services, served, message, response, request).run()
  }

  /** Refuses bodies that are larger than those that somebody needs. */
  #bodiless(handle: Handler): Handler {
    const { writer, request: services } = this.#services
    return (request, response) => {
      const bound = boundOf(services.live.current.limits)
      if (hasBody(request) && announcesTooMuch(request, bound))
        writer.write(response, plain(413, tooLarge(request, bound).message))
      else handle(request, response)
    }
  }

  #nowhere({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
    const stray = strayAnswer(method, url)
    if (stray) this.#services.writer.write(response, stray)
    else this.#services.writer.writeBare(response, plain(404, 'Not found: no endpoint has this path'))
  }

  /** Every path answers OPTIONS, and the methods that it does not have with 405 (state.md §1). */
  #refuseOtherMethods(all: readonly ServedRoute[]): void {
    const byPath = new Map<string, HTTPMethod[]>()
    for (const { route } of all)
      for (const path of [route.path, ...(route.aliases ?? [])].map(routerPath))
        byPath.set(path, [...(byPath.get(path) ?? []), ...methodsOf(route)])
    for (const [path, methods] of byPath) {
      const allowed = METHODS.filter(method => method === 'OPTIONS' || methods.includes(method))
      const allow = ['Allow', allowed.join(',')]
      const others = METHODS.filter(method => !methods.includes(method))
      const answerOf = (method: string) =>
        method === 'OPTIONS' ? empty(200, allow) : plain(405, `method ${method} not allowed`, allow)
      this.#router.on(
        others,
        path,
        this.#bodiless(({ method = '' }, response) => this.#services.writer.write(response, answerOf(method)))
      )
    }
  }

  #leadToSlashes(all: readonly ServedRoute[]): void {
    for (const path of slashlessPaths(all.map(({ route }) => route)))
      this.#router.on(
        METHODS,
        path,
        this.#bodiless(({ method = '', url = '' }, response) =>
          this.#services.writer.write(response, movedTo(method, originForm(url).replace(path, `${path}/`)))
        )
      )
  }

  #leadToPages(pages: Pages): void {
    const { writer } = this.#services
    for (const path of pages.paths) {
      this.#router.on(
        ['GET', 'HEAD'],
        path,
        this.#bodiless((request, response) =>
          pages.show(request, response, answer => writer.writeBare(response, answer))
        )
      )
    }
  }
}
