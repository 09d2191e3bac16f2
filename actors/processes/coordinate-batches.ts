// Collects updates of coordinates, which come often and matter little each, and commits them now and then.
import { Lifecycle, scoped } from 'tsyringe'
import { COORDINATE_TOPIC } from '../../events/coordinate.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { nodeKey } from '../../projections/catalog/reader.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import type { CoordinateUpdate } from '../coordinate.js'
import { Deadlines } from '../deadlines.js'
import { inCluster } from '../ref.js'
import { Subscriptions } from '../subscriptions.js'
import { ActorSystem } from '../system.js'

const KIND = 'coordinates'
/** How long an update waits for others (spec: state.md §16). */
const PERIOD_MS = 5000
/** More than these are committed at once rather than kept. */
const MOST_WAITING = 4096

const keyOf = ({ partition, coordinate: { Node, Segment } }: CoordinateUpdate): string =>
  `${nodeKey(partition, Node)}/${Segment}`

/** Of several updates for a node and segment the last counts. What waits is lost when the server ends. */
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

  /** What waits is lost, as with the end of the server. */
  stop(): void {
    this.#subscriptions.end()
    this.#waiting.clear()
  }

  add(update: CoordinateUpdate): void {
    if (this.#waiting.size === 0) this.deadlines.after(PERIOD_MS, KIND, '')
    this.#waiting.set(keyOf(update), update)
    if (this.#waiting.size >= MOST_WAITING) this.#commit()
  }

  /** Drops what waits for a node and segment: this update, which is committed by itself, is newer. */
  supersede(update: CoordinateUpdate): void {
    this.#waiting.delete(keyOf(update))
  }

  /** What the log refuses is dropped: nodes send their coordinates again soon. */
  #commit(): void {
    const updates = [...this.#waiting.values()]
    this.#waiting.clear()
    if (updates.length === 0) return
    const command = {
      name: 'UpdateCoordinates',
      tenancy: DEFAULT_TENANCY,
      data: { updates },
      caller: SERVER,
      at: this.clock.now()
    } as const
    this.system.ask(inCluster(COORDINATE_TOPIC), command).catch(() => {})
  }
}
