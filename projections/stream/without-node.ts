// Events of services for callers that may not read the node (decisions.md 55).
import type { Event } from '../../events/envelope.js'
import { isServiceEvent } from '../../events/service.js'
import { withFilterKeys } from '../filter-keys.js'

/** Returns the event without the name, ID and address of the node, and without the filter keys that name it. */
export const withoutNode = (event: Event): Event => {
  const { Topic, Type, Key, Namespace, Partition } = event
  const head = { Topic, Type, Key, Namespace, Partition, FilterKeys: null }
  // The filter keys of an erased event do not say which of them is the node.
  if (event.Erased) return { ...head, Payload: {}, Erased: true }
  if (!isServiceEvent(event)) return event
  const { Service } = event.Payload
  const hidden = { Node: '', NodeID: '', Address: Service.ServiceAddress }
  return withFilterKeys({ ...head, Payload: { Service: { ...Service, ...hidden } } })
}
