// Operations on configuration entries in a transaction (spec: users.md 51).
import type { ConfigContent, ConfigKind } from '../../events/config-entry.js'
import type { EntryRow } from '../../projections/config/rows.js'
import type { EntryChange } from '../../projections/config/affected.js'
import { entryKey } from '../../projections/config/names.js'
import {
  deletePermissionsOf,
  readPermissionOf,
  writePermissionsOf,
  type EntryPermission
} from '../../projections/config/entry-permissions.js'
import { planDelete, planSet, type PlannedChange } from '../config-entry/entry-change.js'
import { checkEntryTenancies, eventOf } from '../config-entry/config-entry.js'
import { catalogOperation } from './catalog.js'
import {
  failure,
  requireTransactionPermission,
  type Operation,
  type OperationFields,
  type TransactionContext
} from './operation.js'

export interface ConfigEntryOperationInput extends OperationFields {
  readonly kind: ConfigKind
  readonly name: string
  /** For set and cas: the content, or the rule that it breaks. */
  readonly decoded: { readonly content: ConfigContent } | { readonly fault: string } | undefined
}

const requireAll = (context: TransactionContext, permissions: readonly EntryPermission[]): void => {
  for (const { resource, access, segment, tenancy } of permissions)
    requireTransactionPermission(context, resource, access, segment, tenancy)
}

const contentOf = ({ decoded: given, kind, name }: ConfigEntryOperationInput): ConfigContent => {
  if (!given) throw failure(`Must provide the fields of ${kind} "${name}"`, 'invalid')
  if ('fault' in given) throw failure(`Invalid config entry: ${given.fault}`, 'invalid')
  return given.content
}

const apply = (context: TransactionContext, planned: PlannedChange | undefined): void => {
  if (!planned) return
  const { kind, name, tenancy } = planned.change
  context.unit.emit(eventOf(planned))
  const key = entryKey(kind, name, tenancy)
  const changes = (context.entryChanges ??= new Map<string, EntryChange>())
  const earlier = changes.get(key)
  changes.set(key, earlier ? { ...planned.change, before: earlier.before } : planned.change)
}

const isStoring = (verb: string): boolean => verb === 'set' || verb === 'cas'

export const configEntryOperation = (operation: ConfigEntryOperationInput): Operation => {
  const { verb, kind, name, tenancy, index } = operation
  const stored = ({ models }: TransactionContext): EntryRow | undefined =>
    models.config.row(kind, name, tenancy)
  const act = catalogOperation<EntryRow>({
    kind: 'ConfigEntry',
    verb,
    tenancy,
    index,
    title: `${kind} "${name}"`,
    check: context => {
      if (name === '') throw failure(`Must provide the name of the ${kind}`, 'invalid')
      if (isStoring(verb)) {
        const content = contentOf(operation)
        requireAll(context, writePermissionsOf(context.models.config, content, tenancy))
        checkEntryTenancies(content, tenancy, context)
      } else requireAll(context, deletePermissionsOf(context.models.config, kind, name, tenancy))
    },
    find: stored,
    stored,
    modifyIndex: ({ entry }) => entry.ModifyIndex,
    put: context => {
      const { models, unit } = context
      apply(context, planSet(models.config, contentOf(operation), tenancy, undefined, unit.index))
      return stored(context)
    },
    remove: context => apply(context, planDelete(context.models.config, kind, name, tenancy, undefined)),
    show: ({ entry }) => entry,
    mayRead: ({ rights }, row) => {
      const right = readPermissionOf(kind, row.name, tenancy)
      return !right || rights.may(right.resource, right.access, right.segment, right.tenancy)
    }
  })
  // Intentions on all namespaces belong to none.
  return tenancy.namespace === '*' ? { ...act, scope: 'partition' } : act
}
