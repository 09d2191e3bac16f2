import {
  type Coordinate,
  COORDINATE_TOPIC,
  type CoordinateUpdated,
  isCoordinateEvent
} from '../../events/node.js'
import type { Commit, Event } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import { byText } from '../row-table.js'
import { type Projection, fact, derivedState, type Fact } from '../projection.js'
import type { Watch, WatchName } from '../watch.js'
import type { NodeDistances } from './vivaldi.js'

export const coordinatesKey = (partition: string): WatchName => `coordinates/${partition}`

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => byText(a, b)

interface Partition {
  /** By lower-cased name of the node, then segment. */
  readonly nodes: Map<string, Map<string, Coordinate>>
  index: number
}

/** Coordinates by node and segment. Costs: look-ups and changes O(1), lists O(n log n). Watch keys: `coordinatesKey`. */
export class Coordinates implements Projection {
  readonly topics = [COORDINATE_TOPIC]
  readonly #partitions = new Map<string, Partition>()
  readonly memory = {
    indexes: derivedState<readonly [partition: string, index: number]>({
      clear: () => {},
      save: () => [...this.#partitions].toSorted(byKey).map(([name, { index }]) => [name, index] as const),
      load: ([name, index]) => {
        this.#partition(name).index = index
      }
    })
  }

  constructor(private readonly watch: Watch) {}

  indexOf(partition: string): number {
    return this.#partitions.get(partition)?.index ?? 0
  }

  of(partition: string, node: string): NodeDistances | undefined {
    return this.#partitions.get(partition)?.nodes.get(node.toLowerCase())
  }

  list(partition: string): readonly Coordinate[] {
    const nodes = [...(this.#partitions.get(partition)?.nodes ?? [])].toSorted(byKey)
    return nodes.flatMap(([, places]) => [...places].toSorted(byKey).map(([, coordinate]) => coordinate))
  }

  apply(event: Event, { Index }: Commit): void {
    if (!isCoordinateEvent(event)) return
    const { Coordinate } = event.Payload
    const partition = this.#partition(event.Partition)
    const name = Coordinate.Node.toLowerCase()
    const places = getOrCreate(partition.nodes, name, () => new Map())
    if (event.Type === 'CoordinateUpdated') places.set(Coordinate.Segment, Coordinate)
    else places.delete(Coordinate.Segment)
    if (places.size === 0) partition.nodes.delete(name)
    partition.index = Index
    this.watch.touch(coordinatesKey(event.Partition))
  }

  reset(): void {
    this.#partitions.clear()
  }

  *facts(): Iterable<Fact> {
    for (const [partition] of [...this.#partitions].toSorted(byKey))
      for (const coordinate of this.list(partition))
        yield fact<CoordinateUpdated>({
          Topic: COORDINATE_TOPIC,
          Type: 'CoordinateUpdated',
          Key: `${coordinate.Node.toLowerCase()}/${coordinate.Segment}`,
          tenancy: { partition, namespace: '' },
          Index: 0,
          Payload: { Coordinate: coordinate }
        })
  }

  #partition(name: string): Partition {
    return getOrCreate(this.#partitions, name, () => ({ nodes: new Map(), index: 0 }))
  }
}
