import { METHODS as KNOWN, type IncomingMessage, type ServerResponse } from 'node:http'
import findMyWay, { type HTTPVersion, type Instance } from 'find-my-way'
import { Lifecycle, scoped } from 'tsyringe'
import type { PathParameters } from './bodies/incoming-request.js'
import { Pages } from './pages.js'
import { refusedWith, problem, empty } from './response.js'
import { exceedsContentLength, bodySizeLimitOf, hasBody, tooLarge } from './bodies/request-body.js'
import { RequestPipeline } from './request-pipeline.js'
import { PipelineServices } from './pipeline-services.js'
import { ResponseWriter } from './response-writer.js'
import { methodsOf } from './route.js'
import { routerPath } from './route-path.js'
import { ServedRoutes, type ServedRoute } from './served-routes.js'
import {
  redirectTargetOf,
  originFormOf,
  pathsWithoutSlash,
  UNUSUAL,
  unknownPathResponse
} from './path-normalization.js'

const LONGEST_PARAMETER = 8192
const NO_PARAMETERS: Record<string, string> = {}

type PathHandler = (request: IncomingMessage, response: ServerResponse, params: PathParameters) => void

/** Finds the path of the API, in the syntax of the router, that the path of a URL matches. */
@scoped(Lifecycle.ContainerScoped)
export class PathRouter {
  readonly #router: Instance<HTTPVersion.V1>
  readonly #paths = new Map<unknown, string>()

  constructor(writer: ResponseWriter) {
    const badPath = (response: ServerResponse, fault: string): void =>
      writer.write(response, refusedWith('request.invalid', `Bad request: ${fault}`))
    this.#router = findMyWay({
      maxParamLength: LONGEST_PARAMETER,
      // `Query` parses it when needed.
      querystringParser: () => NO_PARAMETERS,
      onBadUrl: (path, _request, response) => badPath(response, `'${path}' is not a valid url component`),
      onMaxParamLength: (path, _request, response) =>
        badPath(response, `'${path}' is exceeding the max param length`)
    })
  }

  add(path: string, handler: PathHandler): void {
    this.#paths.set(handler, path)
    this.#router.on('GET', path, handler)
  }

  /** Handles a request by its path. @returns false if no path matches */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const found = this.#router.find('GET', request.url ?? '')
    found?.handler(request, response, found.params, found.store, found.searchParams)
    return found !== null
  }

  /** @param url as received, without a query */
  match(url: string): { readonly path: string; readonly params: PathParameters } | undefined {
    const found = this.#router.find('GET', url)
    const path = this.#paths.get(found?.handler)
    return found && path !== undefined ? { path, params: found.params } : undefined
  }
}

/** The methods that known paths answer or reject, in the order of `Allow`. */
const METHODS: readonly string[] = [...new Set(['OPTIONS', 'GET', 'POST', 'PUT', 'DELETE', ...KNOWN])]

type Methods = Map<string, PathHandler>

@scoped(Lifecycle.ContainerScoped)
export class RouteTable {
  readonly #paths = new Map<string, Methods>()
  readonly #toNowhere: PathHandler

  constructor(
    private readonly services: PipelineServices,
    private readonly pipeline: RequestPipeline,
    { all }: ServedRoutes,
    private readonly router: PathRouter,
    pages: Pages
  ) {
    this.#toNowhere = this.#bodiless((request, response) => this.#nowhere(request, response))
    for (const served of all) this.#lead(served)
    this.#refuseOtherMethods()
    this.#leadToSlashes(all)
    this.#leadToPages(pages)
    this.#addPaths()
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    try {
      if (!this.router.handle(request, response)) this.#toNowhere(request, response, {})
    } catch (error) {
      this.services.writer.write(response, problem(error, this.services.logger))
    }
  }

  #addPaths(): void {
    for (const [path, methods] of this.#paths)
      this.router.add(path, (request, response, params) => {
        const handler = methods.get(request.method ?? '') ?? this.#toNowhere
        handler(request, response, params)
      })
  }

  /** @throws Error when two routes claim the same method of a path */
  #on(methods: readonly string[], path: string, handler: PathHandler): void {
    const known = this.#paths.get(path) ?? new Map<string, PathHandler>()
    this.#paths.set(path, known)
    for (const method of methods) {
      if (known.has(method)) throw new Error(`two routes answer ${method} ${path}`)
      known.set(method, handler)
    }
  }

  #lead(served: ServedRoute): void {
    const services = this.services
    const { path, aliases = [] } = served.route
    const handler: PathHandler = (request, response, params) => {
      const { method = '', url = '' } = request
      const stray = UNUSUAL.test(url) ? unknownPathResponse(method, url) : undefined
      if (stray) services.writer.write(response, stray)
      else this.pipeline.run(served, request, response, params)
    }
    for (const one of [path, ...aliases]) this.#on(methodsOf(served.route), routerPath(one), handler)
  }

  /** Wraps a handler that ignores the body, rejecting bodies over the general limit. */
  #bodiless(handle: PathHandler): PathHandler {
    const { writer, request: services } = this.services
    return (request, response, params) => {
      const bound = bodySizeLimitOf(services.live.current.limits)
      if (hasBody(request) && exceedsContentLength(request, bound))
        writer.write(response, refusedWith('body.too-large', tooLarge(request, bound).message))
      else handle(request, response, params)
    }
  }

  #nowhere({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
    const stray = unknownPathResponse(method, url)
    if (stray) this.services.writer.write(response, stray)
    else
      this.services.writer.writeBare(
        response,
        refusedWith('request.path-unknown', 'Not found: no endpoint has this path')
      )
  }

  /** Registers OPTIONS for every path, and 405 for the methods that it does not have (state.md §1). */
  #refuseOtherMethods(): void {
    for (const [path, known] of this.#paths) {
      const others = METHODS.filter(method => !known.has(method))
      const allowed = METHODS.filter(method => method === 'OPTIONS' || known.has(method))
      const allow = ['Allow', allowed.join(',')]
      const answerOf = (method: string) =>
        method === 'OPTIONS'
          ? empty(200, allow)
          : refusedWith('request.method-unknown', `method ${method} not allowed`, allow)
      this.#on(
        others,
        path,
        this.#bodiless(({ method = '' }, response) => this.services.writer.write(response, answerOf(method)))
      )
    }
  }

  #leadToSlashes(all: readonly ServedRoute[]): void {
    for (const path of pathsWithoutSlash(all.map(({ route }) => route)))
      this.#on(
        METHODS,
        path,
        this.#bodiless(({ method = '', url = '' }, response) =>
          this.services.writer.write(
            response,
            redirectTargetOf(method, originFormOf(url).replace(path, `${path}/`))
          )
        )
      )
  }

  #leadToPages(pages: Pages): void {
    const { writer } = this.services
    for (const path of pages.paths) {
      this.#on(
        ['GET', 'HEAD'],
        path,
        this.#bodiless((request, response) =>
          pages.show(request, response, answer => writer.writeBare(response, answer))
        )
      )
    }
  }
}
