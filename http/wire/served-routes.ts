import { inject, Lifecycle, scoped } from 'tsyringe'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import type { RouteMeter } from '../../server/telemetry/metrics/observations.js'
import { ROUTES, type Route } from './route.js'

export interface ServedRoute {
  readonly route: Route
  readonly meter: RouteMeter
}

@scoped(Lifecycle.ContainerScoped)
export class ServedRoutes {
  readonly all: readonly ServedRoute[]

  constructor(@inject(ROUTES) routes: readonly Route[], metrics: Metrics) {
    this.all = routes.map(route => ({ route, meter: metrics.route(route.method, route.path) }))
  }
}
