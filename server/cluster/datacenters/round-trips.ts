// How long requests to the other datacenters take there and back, measured every few seconds (spec: queries.md §6.4).
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Clock } from '../../../actors/clock.js'
import { Timers } from '../../../actors/timers.js'
import type { Coord } from '../../../events/coordinate.js'
import { DIMENSIONS, VivaldiCoordinate } from '../../../projections/catalog/vivaldi.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { LOGGER } from '../../settings/ports.js'
import type {
  DatacenterList,
  RemoteDatacenterInfo,
  RemoteServer
} from '../../../http/routes/catalog/datacenter-list.js'
import { ownFacts } from '../../../http/schemas/read-metadata.js'
import { INTERNAL_DATACENTER } from '../../../http/routes/internal/datacenter.js'
import { DatacenterPoller } from './datacenter-poller.js'
import { DatacenterRequests } from './datacenter-requests.js'
import { RemoteJsonRequests } from './remote-json-requests.js'

/** So many of the last times count. An odd number, so that one of them is the median. */
const KEPT = 7
const MS_PER_SECOND = 1000

/** What is known of a datacenter, and of the way there. */
interface Way {
  readonly name: string
  /** The last times in ms, the oldest first. */
  times: readonly number[]
  servers: readonly RemoteServer[]
  /** By the names of its servers. */
  readonly coords: Map<string, Coord>
}

const factsIn = Compile(ownFacts)

/** The one in the middle, or the lower one of the two there; Infinity of none. */
const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[(times.length - 1) >> 1] ?? Infinity

/** Nearest first; those equally far, or of unknown distance, by name. */
const byDistance = (a: Way, b: Way): number => {
  const [here, there] = [median(a.times), median(b.times)]
  if (here !== there) return here - there
  return a.name < b.name ? -1 : 1
}

@scoped(Lifecycle.ContainerScoped)
export class RoundTrips implements DatacenterList {
  readonly #ways: readonly Way[]
  readonly #place = new VivaldiCoordinate(Math.random)
  readonly #turns: DatacenterPoller
  readonly #unresponsive = new Set<string>()
  #hasMeasured = false

  constructor(
    requests: DatacenterRequests,
    private readonly answers: RemoteJsonRequests,
    private readonly clock: Clock,
    timers: Timers,
    metrics: Metrics,
    @inject(LOGGER) logger: Logger
  ) {
    const names = requests.remotes.map(({ name }) => name)
    this.#ways = names.map(name => ({ name, times: [], servers: [], coords: new Map() }))
    this.#turns = new DatacenterPoller(names, timers, {
      ask: name => this.#measure(name),
      onSilent: (datacenter, why) => logger.warn({ ...why, datacenter }, 'a datacenter cannot be reached'),
      onBack: datacenter => logger.info({ datacenter }, 'a datacenter is reached again')
    })
    metrics.gauges(
      'annals_datacenter_round_trip_seconds',
      'Median of the last times that a request to another datacenter took there and back',
      'datacenter',
      () =>
        this.#ways.flatMap(({ name, times }) =>
          times.length > 0 ? [[name, median(times) / MS_PER_SECOND]] : []
        )
    )
  }

  /** Measures now and from then on, until it is stopped. */
  start(): void {
    this.#turns.start()
  }

  stop(): void {
    this.#turns.stop()
  }

  /** Whether a datacenter did not answer a request, and has not answered a probe since. */
  isUnresponsive(name: string): boolean {
    return this.#unresponsive.has(name)
  }

  /** Notes that a datacenter did not answer a request. */
  noteUnresponsive(name: string): void {
    this.#unresponsive.add(name)
  }

  /** How many are asked at the moment. */
  get asking(): number {
    return this.#turns.underWay
  }

  /** The other datacenters: nearest first, those at an unknown distance last, by name. */
  nearest(): readonly string[] {
    return this.others().map(({ name }) => name)
  }

  others(): readonly RemoteDatacenterInfo[] {
    return this.#ways.toSorted(byDistance).map(({ name, servers, coords }) => ({
      name,
      // Of one that does not answer nobody knows more.
      servers: this.#turns.isSilent(name) ? servers.map(server => ({ ...server, isLive: false })) : servers,
      coords
    }))
  }

  place(): Coord | undefined {
    return this.#hasMeasured ? this.#place.coord : undefined
  }

  /** One that does not answer stays as far as it was: who cannot be reached for a moment has not moved. */
  async #measure(name: string): Promise<void> {
    const from = this.clock.elapsed()
    const told = await this.answers.ask(name, { url: INTERNAL_DATACENTER })
    const took = this.clock.elapsed() - from
    const way = this.#ways.find(one => one.name === name)
    if (!way || !factsIn.Check(told) || told.Datacenter !== name)
      throw new Error('another datacenter answers there')
    this.#take(way, told, took)
  }

  #take(way: Way, { Node, Coord: coord, Servers }: Static<typeof ownFacts>, took: number): void {
    this.#hasMeasured = true
    this.#unresponsive.delete(way.name)
    way.times = [...way.times, took].slice(-KEPT)
    way.servers = Servers.map(({ ID: id, Node: name, Address: bind, IsLive: isLive }) => ({
      id,
      name,
      bind,
      isLive
    }))
    for (const name of way.coords.keys())
      if (!Servers.some(server => server.Node === name)) way.coords.delete(name)
    way.coords.set(Node, coord)
    if (coord.Vec.length === DIMENSIONS) this.#place.observe(coord, took / MS_PER_SECOND)
  }
}
