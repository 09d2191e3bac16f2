// Every event that a log can hold, by the name `Topic.Type`.
import type { AccessBootstrapped } from '../events/access.js'
import type { AuthMethodEvent } from '../events/auth-method.js'
import type { AutopilotUpserted } from '../events/autopilot.js'
import type { BindingRuleEvent } from '../events/binding-rule.js'
import type { CheckEvent } from '../events/check.js'
import type { ClusterIdentified } from '../events/cluster.js'
import type { ConfigEntryEvent } from '../events/config-entry.js'
import type { CoordinateEvent } from '../events/coordinate.js'
import type { CursorEvent } from '../events/cursor.js'
import type { HistoryErased } from '../events/erasure.js'
import type { KvEvent } from '../events/kv.js'
import type { NamespaceEvent } from '../events/namespace.js'
import type { NodeEvent } from '../events/node.js'
import type { OidcRequestEvent } from '../events/oidc-request.js'
import type { PartitionEvent } from '../events/partition.js'
import type { PolicyEvent } from '../events/policy.js'
import type { QueryEvent } from '../events/prepared-query.js'
import type { LogRetained } from '../events/retention.js'
import type { RoleEvent } from '../events/role.js'
import type { ServiceEvent } from '../events/service.js'
import type { SessionEvent } from '../events/session.js'
import type { SnapshotEvent } from '../events/snapshot.js'
import type { TokenEvent } from '../events/token.js'

/** What a log of this version holds. One of an older version may lack fields that came later. */
export type AnyEvent =
  | AccessBootstrapped
  | AuthMethodEvent
  | AutopilotUpserted
  | BindingRuleEvent
  | CheckEvent
  | ClusterIdentified
  | ConfigEntryEvent
  | CoordinateEvent
  | CursorEvent
  | HistoryErased
  | KvEvent
  | LogRetained
  | NamespaceEvent
  | NodeEvent
  | OidcRequestEvent
  | PartitionEvent
  | PolicyEvent
  | QueryEvent
  | RoleEvent
  | ServiceEvent
  | SessionEvent
  | SnapshotEvent
  | TokenEvent

type NameOf<E extends AnyEvent> = E extends AnyEvent ? `${E['Topic']}.${E['Type']}` : never

/** Such as `ACLToken.ACLTokenUpserted`. */
export type EventName = NameOf<AnyEvent>

/** The event of a name. */
export type EventNamed<Name extends EventName> = AnyEvent extends infer E
  ? E extends AnyEvent
    ? Name extends NameOf<E>
      ? E
      : never
    : never
  : never
