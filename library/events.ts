import type { IdempotentResponsesExpired, LogRetained } from '../events/retention.js'
import type { CoordinateEvent } from '../events/node.js'
import type { OidcRequestEvent } from '../events/oidc-request.js'
import type { StreamedEvent } from '../projections/stream/event-types.js'

/** Any event in a log of this version. Events of older versions may lack newer fields. */
export type AnyEvent =
  StreamedEvent | IdempotentResponsesExpired | CoordinateEvent | LogRetained | OidcRequestEvent

export type TopicName = AnyEvent['Topic']

/** The events of a topic. */
export type EventOfTopic<Topic extends TopicName> = Extract<AnyEvent, { readonly Topic: Topic }>

type NameOf<E extends AnyEvent> = E extends AnyEvent ? `${E['Topic']}.${E['Type']}` : never

/** Such as `ACLToken.ACLTokenUpserted`. */
export type EventName = NameOf<AnyEvent>

/** The event of a name. */
export type EventNamed<Name extends EventName> = { [E in AnyEvent as NameOf<E>]: E }[Name]
