import type { IncomingMessage, ServerResponse } from 'node:http'
import findMyWay, { type HTTPVersion, type Instance } from 'find-my-way'
import { Lifecycle, scoped } from 'tsyringe'
import type { PathParameters } from './bodies/incoming-request.js'
import { refusedWith } from './response.js'
import { ResponseWriter } from './response-writer.js'

const LONGEST_PARAMETER = 8192
const NO_PARAMETERS: Record<string, string> = {}

export type PathHandler = (request: IncomingMessage, response: ServerResponse, params: PathParameters) => void

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
