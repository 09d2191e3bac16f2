// Measures the round-trip times to the other datacenters every few seconds (spec: queries.md §6.4).
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Clock, Timers } from '../../../actors/clock.js'
import type { Coord } from '../../../events/node.js'
import { DIMENSIONS, VivaldiCoordinate } from '../../../projections/catalog/vivaldi.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { LOGGER } from '../../settings/ports.js'
import type {
  DatacenterList,
  RemoteDatacenterInfo,
  RemoteServer
} from '../../../http/routes/catalog/datacenter-list.js'
import { ownFacts, INTERNAL_DATACENTER } from '../../../http/routes/internal/datacenter.js'
import { DatacenterPoller } from './datacenter-poller.js'
import { DatacenterRequests } from './datacenter-requests.js'
import { RemoteJsonRequests } from './remote-json-requests.js'

/** Number of measurements per datacenter. Odd, so that one of them is the median. */
const MAX_TIMES = 7
const MS_PER_SECOND = 1000

interface MeasuredDatacenter {
  readonly name: string
  /** The last times in ms, oldest first. */
  times: readonly number[]
  servers: readonly RemoteServer[]
  /** By server name. */
  readonly coords: Map<string, Coord>
}

const factsIn = Compile(ownFacts)

/** Returns the lower median, or Infinity for an empty list. */
const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[(times.length - 1) >> 1] ?? Infinity

/** Nearest first; equal or unknown distances by name. */
const byDistance = (a: MeasuredDatacenter, b: MeasuredDatacenter): number => {
  const [here, there] = [median(a.times), median(b.times)]
  if (here !== there) return here - there
  return a.name < b.name ? -1 : 1
}

@scoped(Lifecycle.ContainerScoped)
export class RoundTrips implements DatacenterList {
  readonly #measured: readonly MeasuredDatacenter[]
  readonly #place = new VivaldiCoordinate(Math.random)
  readonly #poller: DatacenterPoller
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
    this.#measured = names.map(name => ({ name, times: [], servers: [], coords: new Map() }))
    this.#poller = new DatacenterPoller(names, timers, {
      ask: name => this.#measure(name),
      onSilent: (datacenter, why) => logger.warn({ ...why, datacenter }, 'a datacenter cannot be reached'),
      onBack: datacenter => logger.info({ datacenter }, 'a datacenter is reached again')
    })
    metrics.gauges(
      'annals_datacenter_round_trip_seconds',
      'Median of the last times that a request to another datacenter took there and back',
      'datacenter',
      () =>
        this.#measured.flatMap(({ name, times }) =>
          times.length > 0 ? [[name, median(times) / MS_PER_SECOND]] : []
        )
    )
  }

  start(): void {
    this.#poller.start()
  }

  stop(): void {
    this.#poller.stop()
  }

  /** Returns true if a datacenter did not answer a request, and no probe since. */
  isUnresponsive(name: string): boolean {
    return this.#unresponsive.has(name)
  }

  noteUnresponsive(name: string): void {
    this.#unresponsive.add(name)
  }

  /** Number of datacenters being measured. */
  get asking(): number {
    return this.#poller.pending
  }

  /** The other datacenters, nearest first, those at an unknown distance last by name. */
  nearest(): readonly string[] {
    return this.others().map(({ name }) => name)
  }

  others(): readonly RemoteDatacenterInfo[] {
    return this.#measured.toSorted(byDistance).map(({ name, servers, coords }) => ({
      name,
      // The servers of an unreachable datacenter count as down.
      servers: this.#poller.isSilent(name) ? servers.map(server => ({ ...server, isLive: false })) : servers,
      coords
    }))
  }

  place(): Coord | undefined {
    return this.#hasMeasured ? this.#place.coord : undefined
  }

  /** An unreachable datacenter keeps its distance. */
  async #measure(name: string): Promise<void> {
    const from = this.clock.elapsed()
    const facts = await this.answers.ask(name, { url: INTERNAL_DATACENTER })
    const took = this.clock.elapsed() - from
    const measured = this.#measured.find(one => one.name === name)
    if (!measured || !factsIn.Check(facts) || facts.Datacenter !== name)
      throw new Error('another datacenter answers there')
    this.#take(measured, facts, took)
  }

  #take(
    measured: MeasuredDatacenter,
    { Node, Coord: coord, Servers }: Static<typeof ownFacts>,
    took: number
  ): void {
    this.#hasMeasured = true
    this.#unresponsive.delete(measured.name)
    measured.times = [...measured.times, took].slice(-MAX_TIMES)
    measured.servers = Servers.map(({ ID: id, Node: name, Address: bind, IsLive: isLive }) => ({
      id,
      name,
      bind,
      isLive
    }))
    for (const name of measured.coords.keys())
      if (!Servers.some(server => server.Node === name)) measured.coords.delete(name)
    measured.coords.set(Node, coord)
    if (coord.Vec.length === DIMENSIONS) this.#place.observe(coord, took / MS_PER_SECOND)
  }
}
