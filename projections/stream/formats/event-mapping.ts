// What each event type is for other products: its action, its kind in OCSF, and its category in ECS.
import type { Event } from '../../../events/envelope.js'
import { isObject } from '../../../events/values.js'
import type { StreamedEvent } from '../event-types.js'
import type { FormattedEvent } from './formatted-event.js'

type Action = 'create' | 'update' | 'delete'

/** `write`: a creation if the resource has the index of the commit as its `CreateIndex`, and an update otherwise. */
type Change = Action | 'write'

/** A token is an account, a role holds privileges, an entity is another resource that grants them, and the rest is activity of the API. */
export type Kind = 'account' | 'role' | 'entity' | 'activity'

interface EventMapping {
  readonly change: Change
  readonly kind: Kind
  readonly category: 'iam' | 'configuration'
}

const access = (change: Change, kind: Kind = 'entity'): EventMapping => ({ change, kind, category: 'iam' })
const tenancy = (change: Change): EventMapping => ({ change, kind: 'entity', category: 'configuration' })
const activity = (change: Change): EventMapping => ({ change, kind: 'activity', category: 'configuration' })

const MAPPINGS: { readonly [Type in StreamedEvent['Type']]: EventMapping } = {
  ACLAuthMethodDeleted: access('delete'),
  ACLAuthMethodUpserted: access('write'),
  ACLBindingRuleDeleted: access('delete'),
  ACLBindingRuleUpserted: access('write'),
  ACLBootstrapped: access('update', 'activity'),
  ACLPolicyDeleted: access('delete'),
  ACLPolicyUpserted: access('write'),
  ACLPolicyProposalDeleted: access('delete'),
  ACLPolicyProposalPromoted: access('delete'),
  ACLPolicyProposalUpserted: access('write'),
  ACLRoleDeleted: access('delete', 'role'),
  ACLRoleUpserted: access('write', 'role'),
  ACLTokenDeleted: access('delete', 'account'),
  ACLTokenUpserted: access('write', 'account'),
  AutopilotUpserted: activity('update'),
  CheckDeregistration: activity('delete'),
  CheckRegistration: activity('write'),
  CheckStatusUpdate: activity('update'),
  ClusterIdentified: activity('update'),
  ConfigEntryDeleted: activity('delete'),
  ConfigEntryUpserted: activity('write'),
  CursorDeleted: activity('delete'),
  CursorMoved: activity('update'),
  CursorSkipped: activity('update'),
  CursorUpserted: activity('write'),
  LegalHoldLifted: activity('delete'),
  LegalHoldPlaced: activity('create'),
  HistoryErased: activity('delete'),
  KVDelete: activity('delete'),
  KVLock: activity('write'),
  KVSet: activity('write'),
  KVUnlock: activity('update'),
  NamespaceDeleted: tenancy('delete'),
  NamespaceUpserted: tenancy('write'),
  NodeDeregistration: activity('delete'),
  NodeEligibility: activity('update'),
  NodeEvent: activity('update'),
  NodeRegistration: activity('write'),
  PartitionDeleted: tenancy('delete'),
  PartitionUpserted: tenancy('write'),
  PreparedQueryDeleted: activity('delete'),
  PreparedQueryUpserted: activity('write'),
  ServiceDeregistration: activity('delete'),
  ServiceRegistration: activity('write'),
  SessionCreated: activity('create'),
  SessionDestroyed: activity('delete'),
  SessionInvalidated: activity('delete'),
  SnapshotRestoreBegun: activity('update'),
  SnapshotRestoreEnded: activity('update')
}

/** Returns the mapping of a type, also of a type that this version does not know. */
export const mappingOf = ({ Type }: Event): EventMapping => {
  const known: Readonly<Record<string, EventMapping>> = MAPPINGS
  return (Object.hasOwn(known, Type) ? known[Type] : undefined) ?? activity('update')
}

const SIGN_INS: Readonly<Record<string, 'on' | 'off'>> = { Login: 'on', Logout: 'off' }

/** Returns `on` for the token of a login and `off` for that of a logout; undefined for other events. */
export const signInOf = ({ event: { Topic }, by: { Command } }: FormattedEvent): 'on' | 'off' | undefined =>
  Topic === 'ACLToken' && Object.hasOwn(SIGN_INS, Command) ? SIGN_INS[Command] : undefined

const CREATIONS = /^(?:Create|Clone|Bootstrap|Login$)/

/** Returns what the event did to its resource. The command decides if the payload was erased. */
export const actionOf = ({ event, index, by }: FormattedEvent): Action => {
  const { change } = mappingOf(event)
  if (change !== 'write') return change
  if (event.Erased) return CREATIONS.test(by.Command) ? 'create' : 'update'
  return Object.values(event.Payload).some(value => isObject(value) && value['CreateIndex'] === index)
    ? 'create'
    : 'update'
}
