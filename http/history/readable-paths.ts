// Finds the route that reads the resource at a path, for requests of its history.
import findMyWay, { type HTTPVersion, type Instance } from 'find-my-way'
import type { PathParameters } from '../wire/bodies/incoming-request.js'
import { routerPath } from '../wire/route-path.js'
import type { Route } from '../wire/route.js'

interface Reader {
  readonly route: Route
  readonly params: PathParameters
}

export class ReadablePaths {
  readonly #router: Instance<HTTPVersion.V1>
  readonly #routes = new Map<unknown, Route>()

  constructor(routes: readonly Route[]) {
    this.#router = findMyWay({ maxParamLength: 8192, querystringParser: () => ({}) })
    for (const route of routes) {
      if (route.method !== 'GET') continue
      const handler = (): void => {}
      this.#routes.set(handler, route)
      for (const path of [route.path, ...(route.aliases ?? [])])
        this.#router.on('GET', routerPath(path), handler)
    }
  }

  /** @param path as received, without a query */
  find(path: string): Reader | undefined {
    const found = this.#router.find('GET', path)
    const route = this.#routes.get(found?.handler)
    return found && route ? { route, params: found.params } : undefined
  }
}
