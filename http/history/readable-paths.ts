// Finds the route that reads the resource at a path, for requests of its history.
import type { PathParameters } from '../wire/bodies/incoming-request.js'
import type { PathRouter } from '../wire/route-table.js'
import { routerPath } from '../wire/route-path.js'
import type { Route } from '../wire/route.js'

interface Reader {
  readonly route: Route
  readonly params: PathParameters
}

export class ReadablePaths {
  readonly #routes: ReadonlyMap<string, Route>

  constructor(
    routes: readonly Route[],
    private readonly router: PathRouter
  ) {
    this.#routes = new Map(
      routes
        .filter(({ method }) => method === 'GET')
        .flatMap(route => [route.path, ...(route.aliases ?? [])].map(path => [routerPath(path), route]))
    )
  }

  /** @param path as received, without a query */
  find(path: string): Reader | undefined {
    const found = this.router.match(path)
    const route = found && this.#routes.get(found.path)
    return route && { route, params: found.params }
  }
}
