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
  /** Created by the first search, since few servers are asked for histories. */
  #router: Instance<HTTPVersion.V1> | undefined
  readonly #routes = new Map<unknown, Route>()

  constructor(private readonly routes: readonly Route[]) {}

  /** @param path as received, without a query */
  find(path: string): Reader | undefined {
    const found = (this.#router ??= this.#routerOf(this.routes)).find('GET', path)
    const route = this.#routes.get(found?.handler)
    return found && route ? { route, params: found.params } : undefined
  }

  #routerOf(routes: readonly Route[]): Instance<HTTPVersion.V1> {
    const router = findMyWay({ maxParamLength: 8192, querystringParser: () => ({}) })
    for (const route of routes) {
      if (route.method !== 'GET') continue
      const handler = (): void => {}
      this.#routes.set(handler, route)
      for (const path of [route.path, ...(route.aliases ?? [])]) router.on('GET', routerPath(path), handler)
    }
    return router
  }
}
