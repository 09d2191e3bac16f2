// Recomputes the filter keys of an event from its payload, because facts are stored without them.
import type { Event } from '../events/envelope.js'
import { oidcRequestEvents } from '../events/oidc-request.js'
import { STREAMED_RESOURCES } from './stream/event-types.js'

const FILTER_KEYS: ReadonlyMap<string, (event: Event) => readonly string[]> = new Map(
  [...STREAMED_RESOURCES, oidcRequestEvents].map(({ topic, filterKeysIn }) => [topic, filterKeysIn])
)

export const withFilterKeys = (event: Event): Event => {
  const keys = FILTER_KEYS.get(event.Topic)?.(event) ?? []
  return { ...event, FilterKeys: keys.length > 0 ? keys : null }
}
