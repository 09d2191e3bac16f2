// Namespaces (spec: tenancy.md §2, §3).
import type { Event, Tenancy } from '../events/envelope.js'
import {
  type Namespace,
  NAMESPACE_TOPIC,
  type NamespaceAcls,
  type NamespaceEvent,
  namespaceEvents,
  type NamespaceInput,
  namespaceDefinition
} from '../events/namespace.js'
import { formatTime } from '../events/time.js'
import { NAMESPACE_MANAGEMENT_RULES } from '../projections/acl/rules/builtin.js'
import type { NamespaceRow } from '../projections/tenancy/namespaces.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate, Command } from './aggregate.js'
import { contentsOf } from './content.js'
import { policyTargets, resolveLinks, roleTargets } from './grants.js'
import { lifecycleOf } from './lifecycle.js'
import { policyUpserted } from './policy.js'
import { type ActorRef, inPartition } from './ref.js'
import { invalidWith, invalid, Refusal } from './refusal.js'
import { checkNewName } from './tenancy.js'

const invalidNamespace = invalidWith('namespace.invalid', 'Invalid Namespace: ')

// Commands: the tenancy of each is the namespace itself

/** Creates the namespace or replaces its content. `newPolicyId` is for the policy of a new namespace. */
type SetNamespace = Command<'SetNamespace', NamespaceInput & { readonly newPolicyId: string }>
type DeleteNamespace = Command<'DeleteNamespace', null>
/** The same as part of the deletion of its partition, which includes the namespace `default`. */
type DeleteNamespaceOfPartition = Command<'DeleteNamespaceOfPartition', null>
type RemoveNamespace = Command<'RemoveNamespace', null>
/** Returns the actor of a namespace, which belongs to its partition and to no namespace. */
export const namespaceRef = ({ partition, namespace }: Tenancy): ActorRef<typeof NAMESPACE_TOPIC> =>
  inPartition(NAMESPACE_TOPIC, partition, namespace)
type NamespaceCommand = SetNamespace | DeleteNamespace | DeleteNamespaceOfPartition | RemoveNamespace

// Lifecycle: after the mark, commands allow only the removal; a restored snapshot may set every state

const upserted = {
  live: ({ Payload }: NamespaceEvent) => Payload.Namespace.DeletedAt === undefined,
  deleting: ({ Key, Partition, Payload }: NamespaceEvent) =>
    Payload.Namespace.DeletedAt !== undefined && (Key !== 'default' || Partition !== 'default')
}

const MOST_META = 64
const LONGEST_KEY = 128
const LONGEST_VALUE = 512

const checkMeta = (meta: Readonly<Record<string, string>>): void => {
  const pairs = Object.entries(meta)
  if (pairs.length > MOST_META)
    throw invalidNamespace(`Meta has ${pairs.length} pairs; at most ${MOST_META} are allowed`)
  for (const [key, value] of pairs) {
    if (key.length > LONGEST_KEY)
      throw invalidNamespace(`a key of Meta has ${key.length} characters; at most ${LONGEST_KEY} are allowed`)
    if (value.length > LONGEST_VALUE)
      throw invalidNamespace(
        `Meta ${JSON.stringify(key)} has ${value.length} characters; at most ${LONGEST_VALUE} are allowed`
      )
  }
}

const contentOf = contentsOf(namespaceDefinition)

/** Default policies and roles are in namespace `default` of the partition. */
const defaultsOf = ({ ACLs }: NamespaceInput, partition: string, views: Views): NamespaceAcls | undefined => {
  if (!ACLs) return undefined
  const defaultTenancy: Tenancy = { partition, namespace: 'default' }
  return {
    PolicyDefaults: resolveLinks(ACLs.PolicyDefaults, policyTargets, defaultTenancy, views),
    RoleDefaults: resolveLinks(ACLs.RoleDefaults, roleTargets, defaultTenancy, views)
  }
}

const set = ({ data, tenancy }: SetNamespace, views: Views, index: number): Event[] => {
  const { partition, namespace: Name } = tenancy
  checkNewName('Namespace', Name)
  checkMeta(data.Meta)
  const ACLs = defaultsOf(data, partition, views)
  const before = views.namespaces.get(tenancy)
  if (before?.isEnding) throw new Refusal('tenancy.deleting', `Namespace "${Name}" is being deleted`)
  const Description = data.Description || (Name === 'default' ? DEFAULT_DESCRIPTION : '')
  const namespace: Namespace = {
    Name,
    ...contentOf(data, { Description, ACLs }),
    ...(partition === 'default' ? {} : { Partition: partition }),
    CreateIndex: before?.namespace.CreateIndex ?? index,
    ModifyIndex: index
  }
  const written = namespaceUpserted(partition, namespace)
  if (before || Name === 'default') return [written]
  const management = policyUpserted(tenancy, {
    ID: data.newPolicyId,
    Name: 'namespace-management',
    Description: 'Builtin Policy that grants management of this namespace',
    Rules: NAMESPACE_MANAGEMENT_RULES,
    Datacenters: [],
    CreateIndex: index,
    ModifyIndex: index
  })
  return [written, management]
}

const mark = ({ namespace, partition, isEnding }: NamespaceRow, at: number, index: number): Event[] =>
  isEnding ? [] : [namespaceUpserted(partition, withDeletedAt(namespace, formatTime(at), index))]

const withDeletedAt = (
  { Partition, CreateIndex, ModifyIndex: _before, ...head }: Namespace,
  DeletedAt: string,
  ModifyIndex: number
): Namespace => ({
  ...head,
  DeletedAt,
  ...(Partition === undefined ? {} : { Partition }),
  CreateIndex,
  ModifyIndex
})

/** @throws Refusal `invalid`; `missing`; `conflict` during the deletion */
const decideNamespace = (command: NamespaceCommand, views: Views, index: number): Event[] => {
  const { tenancy, at } = command
  const row = views.namespaces.get(tenancy)
  switch (command.name) {
    case 'SetNamespace':
      return set(command, views, index)
    case 'DeleteNamespace':
      if (tenancy.namespace === 'default')
        throw invalid('namespace.built-in', 'Deletion of the builtin namespace "default" is not permitted')
      if (!row) throw new Refusal('namespace.not-found', `Namespace "${tenancy.namespace}" does not exist`)
      return mark(row, at, index)
    case 'DeleteNamespaceOfPartition':
      return row && tenancy.partition !== 'default' ? mark(row, at, index) : []
    case 'RemoveNamespace':
      return row?.isEnding
        ? [
            namespaceEvents.create(
              'NamespaceDeleted',
              { partition: row.partition, namespace: '' },
              row.namespace
            )
          ]
        : []
  }
}

export const namespaceUpserted = (partition: string, namespace: Namespace): NamespaceEvent =>
  namespaceEvents.create('NamespaceUpserted', { partition, namespace: '' }, namespace)

/** The namespace `default`, which every partition has from its creation. */
export const defaultNamespace = (partition: string, index: number): NamespaceEvent =>
  namespaceUpserted(partition, {
    Name: 'default',
    Description: DEFAULT_DESCRIPTION,
    ...(partition === 'default' ? {} : { Partition: partition }),
    CreateIndex: index,
    ModifyIndex: index
  })

const DEFAULT_DESCRIPTION = 'Builtin Default Namespace'

export const namespaceAggregate: Aggregate<NamespaceCommand> = {
  lifecycle: lifecycleOf<NamespaceEvent>({
    topic: NAMESPACE_TOPIC,
    states: {
      absent: { NamespaceUpserted: upserted },
      live: { NamespaceUpserted: upserted, NamespaceDeleted: 'absent' },
      deleting: { NamespaceUpserted: upserted, NamespaceDeleted: 'absent' }
    },
    stateOf: ({ namespaces }, { partition, key }) => {
      const row = namespaces.get({ partition, namespace: key })
      return row ? (row.isEnding ? 'deleting' : 'live') : 'absent'
    }
  }),
  scope: 'partition',
  removals: ['DeleteNamespace', 'DeleteNamespaceOfPartition', 'RemoveNamespace'],
  decide: decideNamespace
}
