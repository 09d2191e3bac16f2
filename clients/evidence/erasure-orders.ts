// The erasure orders among proved commits, by which a report names the commit that erased a version.
import type { Commit, Event } from '../../events/envelope.js'
import { ERASURE_TOPIC, isErasedBy, type PayloadErasure } from '../../events/erasure.js'
import { isObject } from '../../events/values.js'
import type { BundleSelection } from './bundle-lines.js'

type Order = Pick<PayloadErasure, 'Topic' | 'Namespace' | 'Partition' | 'Key' | 'Prefix' | 'UpTo'>

const isOrder = (value: unknown): value is Order =>
  isObject(value) &&
  ['Topic', 'Namespace', 'Partition'].every(name => typeof value[name] === 'string') &&
  ['Key', 'Prefix'].some(name => typeof value[name] === 'string') &&
  typeof value['UpTo'] === 'number'

/** Returns the order in an event to erase payloads. Orders to erase authors name no resource. */
const orderIn = ({ Topic, Payload }: Pick<Event, 'Topic' | 'Payload'>): Order | undefined => {
  const order = Topic === ERASURE_TOPIC && isObject(Payload) ? Payload['Erasure'] : undefined
  return isOrder(order) ? order : undefined
}

const coversKey = ({ Key, Prefix = '' }: Order, key: string): boolean =>
  Key === undefined ? key.startsWith(Prefix) : Key === key

/** Returns true for an event with an order that covers the selected topic and resource. */
export const isOrderAbout = (
  { Topic, Key, Namespace }: BundleSelection,
  event: Pick<Event, 'Topic' | 'Payload'>
): boolean => {
  const order = orderIn(event)
  return (
    order !== undefined &&
    order.Topic.toLowerCase() === Topic?.toLowerCase() &&
    (Key === undefined || coversKey(order, Key)) &&
    (Namespace === undefined || Namespace === '' || order.Namespace === Namespace)
  )
}

export class ErasureOrders {
  readonly #orders: { readonly index: number; readonly order: Order }[] = []

  add({ Index, Events }: Pick<Commit, 'Index' | 'Events'>): void {
    for (const event of Events) {
      const order = orderIn(event)
      if (order) this.#orders.push({ index: Index, order })
    }
  }

  /** Returns the indexes of the commits whose orders cover an erased event of a commit, ascending. */
  covering(index: number, event: Event): readonly number[] {
    return this.#orders
      .filter(({ order }) => index <= order.UpTo && isErasedBy(event, order))
      .map(({ index: at }) => at)
  }
}
