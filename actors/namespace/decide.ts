// Decides the commands on namespaces (spec: tenancy.md §2, §3).
import type { Event, Tenancy } from '../../events/envelope.js'
import type { Namespace, NamespaceAcls } from '../../events/namespace.js'
import { formatTime } from '../../events/time.js'
import { NAMESPACE_MANAGEMENT_RULES } from '../../projections/acl/rules/builtin.js'
import type { NamespaceRow } from '../../projections/tenancy/namespace-row.js'
import type { Views } from '../../projections/views.js'
import { policyTargets, resolveLinks, roleTargets } from '../grants/links.js'
import { policyUpserted } from '../policy/events.js'
import { invalid, Refusal } from '../refusal.js'
import { checkNewName } from '../tenancy-name.js'
import type { NamespaceCommand, NamespaceDraft, SetNamespace } from './commands.js'
import { DEFAULT_DESCRIPTION, namespaceDeleted, namespaceUpserted } from './events.js'

const MOST_META = 64
const LONGEST_KEY = 128
const LONGEST_VALUE = 512

const checkMeta = (meta: Readonly<Record<string, string>>): void => {
  const pairs = Object.entries(meta)
  if (pairs.length > MOST_META)
    throw invalid(`Invalid Namespace: Meta has ${pairs.length} pairs; at most ${MOST_META} are allowed`)
  for (const [key, value] of pairs) {
    if (key.length > LONGEST_KEY)
      throw invalid(
        `Invalid Namespace: a key of Meta has ${key.length} characters; at most ${LONGEST_KEY} are allowed`
      )
    if (value.length > LONGEST_VALUE)
      throw invalid(
        `Invalid Namespace: Meta ${JSON.stringify(key)} has ${value.length} characters; at most ${LONGEST_VALUE} are allowed`
      )
  }
}

/** Default policies and roles stand in namespace `default` of the partition. */
const defaultsOf = (
  acls: NamespaceDraft['ACLs'],
  partition: string,
  views: Views
): { readonly ACLs?: NamespaceAcls } => {
  if (!acls) return {}
  const home: Tenancy = { partition, namespace: 'default' }
  return {
    ACLs: {
      PolicyDefaults: resolveLinks(acls.PolicyDefaults, policyTargets, home, views),
      RoleDefaults: resolveLinks(acls.RoleDefaults, roleTargets, home, views)
    }
  }
}

const set = ({ data, tenancy }: SetNamespace, views: Views, index: number): Event[] => {
  const { partition, namespace: Name } = tenancy
  checkNewName('Namespace', Name)
  checkMeta(data.Meta)
  const acls = defaultsOf(data.ACLs, partition, views)
  const before = views.namespaces.get(tenancy)
  if (before?.isEnding) throw new Refusal('conflict', `Namespace "${Name}" is being deleted`)
  const Description = data.Description || (Name === 'default' ? DEFAULT_DESCRIPTION : '')
  const namespace: Namespace = {
    Name,
    ...(Description === '' ? {} : { Description }),
    ...acls,
    ...(Object.keys(data.Meta).length > 0 ? { Meta: data.Meta } : {}),
    ...(partition === 'default' ? {} : { Partition: partition }),
    CreateIndex: before?.namespace.CreateIndex ?? index,
    ModifyIndex: index
  }
  const upserted = namespaceUpserted(partition, namespace)
  if (before || Name === 'default') return [upserted]
  const management = policyUpserted(tenancy, {
    ID: data.newPolicyId,
    Name: 'namespace-management',
    Description: 'Builtin Policy that grants management of this namespace',
    Rules: NAMESPACE_MANAGEMENT_RULES,
    Datacenters: [],
    CreateIndex: index,
    ModifyIndex: index
  })
  return [upserted, management]
}

const mark = ({ namespace, partition, isEnding }: NamespaceRow, at: number, index: number): Event[] =>
  isEnding ? [] : [namespaceUpserted(partition, withDeletedAt(namespace, formatTime(at), index))]

/** The fields in the order of a read. */
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

/** @throws Refusal `invalid`; `missing`; `conflict` for a change of what is being deleted */
export const decideNamespace = (command: NamespaceCommand, views: Views, index: number): Event[] => {
  const { tenancy, at } = command
  const row = views.namespaces.get(tenancy)
  switch (command.name) {
    case 'SetNamespace':
      return set(command, views, index)
    case 'DeleteNamespace':
      if (tenancy.namespace === 'default')
        throw invalid('Deletion of the builtin namespace "default" is not permitted')
      if (!row) throw new Refusal('missing', `Namespace "${tenancy.namespace}" does not exist`)
      return mark(row, at, index)
    case 'DeleteNamespaceOfPartition':
      return row && tenancy.partition !== 'default' ? mark(row, at, index) : []
    case 'RemoveNamespace':
      return row?.isEnding ? [namespaceDeleted(row.partition, row.namespace)] : []
  }
}
