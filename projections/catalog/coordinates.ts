import { type Coordinate, COORDINATE_TOPIC, coordinateEvents, isCoordinateEvent } from '../../events/node.js'
import type { Commit, Event } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import { byText } from '../row-table.js'
import { SortedRows } from '../sorted-rows.js'
import { type Projection, resourceFact, derivedState, type Fact } from '../projection.js'
import type { Watch, WatchName } from '../watch.js'
import type { NodeDistances } from './vivaldi.js'

export const coordinatesKey = (partition: string): WatchName => `coordinates/${partition}`

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => byText(a, b)

const replaceRow = (
  { rows, byOrder }: Partition,
  order: string,
  coordinate: Coordinate | undefined
): void => {
  const before = byOrder.get(order)
  const row = coordinate && { order, coordinate }
  if (before && row) rows.replace(before, row)
  else if (before) rows.delete(before)
  else if (row) rows.add(row)
  if (row) byOrder.set(order, row)
  else byOrder.delete(order)
}

/** A coordinate in the order of lists: by lower-cased name of the node, then segment. */
interface CoordinateRow {
  readonly order: string
  readonly coordinate: Coordinate
}

interface Partition {
  /** By lower-cased name of the node, then segment. */
  readonly nodes: Map<string, Map<string, Coordinate>>
  readonly rows: SortedRows<CoordinateRow>
  /** By order. */
  readonly byOrder: Map<string, CoordinateRow>
  index: number
}

/** Coordinates by node and segment. Costs: look-ups O(1), changes those of `SortedRows`. Watch keys: `coordinatesKey`. */
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

  /** The coordinates of a partition after an order, or all; see `SortedRows.after`. */
  inOrder(partition: string, after?: string): Iterable<CoordinateRow> {
    return this.#partitions.get(partition)?.rows.after(after) ?? []
  }

  apply(event: Event, { Index }: Commit): void {
    if (!isCoordinateEvent(event)) return
    const { Coordinate } = event.Payload
    const partition = this.#partition(event.Partition)
    const name = Coordinate.Node.toLowerCase()
    const places = getOrCreate(partition.nodes, name, () => new Map())
    const isUpdate = event.Type === 'CoordinateUpdated'
    if (isUpdate) places.set(Coordinate.Segment, Coordinate)
    else places.delete(Coordinate.Segment)
    if (places.size === 0) partition.nodes.delete(name)
    replaceRow(partition, `${name}\0${Coordinate.Segment}`, isUpdate ? Coordinate : undefined)
    partition.index = Index
    this.watch.touch(coordinatesKey(event.Partition))
  }

  reset(): void {
    this.#partitions.clear()
  }

  *facts(): Iterable<Fact> {
    for (const [partition] of [...this.#partitions].toSorted(byKey))
      for (const { coordinate } of this.inOrder(partition))
        yield resourceFact(coordinateEvents, coordinate, { tenancy: { partition, namespace: '' }, Index: 0 })
  }

  #partition(name: string): Partition {
    return getOrCreate(this.#partitions, name, () => ({
      nodes: new Map(),
      rows: new SortedRows<CoordinateRow>(row => row.order),
      byOrder: new Map(),
      index: 0
    }))
  }
}
