// Collects the frequent updates of coordinates and commits them in batches.
import { Lifecycle, scoped } from 'tsyringe'
import { COORDINATE_TOPIC } from '../../events/node.js'
import { nodeKey } from '../../projections/catalog/reader.js'
import { Clock, Deadlines } from '../clock.js'
import { serverCommand } from '../aggregate.js'
import type { CoordinateUpdate } from '../coordinate.js'
import { inCluster } from '../ref.js'
import { Subscriptions } from '../subscriptions.js'
import { ActorSystem } from '../system.js'

const KIND = 'coordinates'
/** Time that an update waits for others (spec: state.md §16). */
const PERIOD_MS = 5000
/** Number of waiting updates that triggers a commit. */
const MAX_WAITING = 4096

const keyOf = ({ partition, coordinate: { Node, Segment } }: CoordinateUpdate): string =>
  `${nodeKey(partition, Node)}/${Segment}`

/** The last update of a node and segment wins. Waiting updates are lost when the server stops. */
@scoped(Lifecycle.ContainerScoped)
export class CoordinateBatches {
  readonly #subscriptions = new Subscriptions()
  readonly #waiting = new Map<string, CoordinateUpdate>()

  constructor(
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly system: ActorSystem
  ) {}

  start(): void {
    this.#subscriptions.add(this.deadlines.on(KIND, () => this.#commit()))
  }

  stop(): void {
    this.#subscriptions.end()
    this.#waiting.clear()
  }

  add(update: CoordinateUpdate): void {
    if (this.#waiting.size === 0) this.deadlines.after(PERIOD_MS, KIND, '')
    this.#waiting.set(keyOf(update), update)
    if (this.#waiting.size >= MAX_WAITING) this.#commit()
  }

  /** Drops the waiting update of a node and segment, which the caller commits a newer one for. */
  supersede(update: CoordinateUpdate): void {
    this.#waiting.delete(keyOf(update))
  }

  /** Refused updates are dropped: nodes soon send new coordinates. */
  #commit(): void {
    const updates = [...this.#waiting.values()]
    this.#waiting.clear()
    if (updates.length === 0) return
    const command = serverCommand('UpdateCoordinates', { updates }, this.clock.now())
    this.system.ask(inCluster(COORDINATE_TOPIC), command).catch(() => {})
  }
}
