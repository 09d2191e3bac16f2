// Operations of a transaction (spec: state.md §3).
import type { Tenancy } from '../../events/envelope.js'
import type { Access, Resource } from '../../projections/acl/authorizer.js'
import type { CatalogChanges } from '../catalog/catalog-changes.js'
import type { EntryChange } from '../../projections/config/affected.js'
import type { ModelsOverlay } from '../../projections/models.js'
import type { Namespaces, Partitions } from '../../projections/tenancy/namespaces.js'
import type { TreeSize } from '../kv-tree-reads.js'
import { Refusal } from '../refusal.js'
import type { Effect, Scope } from '../aggregate.js'

export interface TransactionPermissions {
  /** Decides whether a result is shown. */
  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean
  /** Decides for an operation. */
  permits(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean
  denial(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Refusal
}

/** The state of a transaction: on its overlay, each operation sees the effects of the earlier ones. */
export interface TransactionContext {
  readonly models: ModelsOverlay
  /** Collects events, applies them to the overlay, and knows the index and time of the commit. */
  readonly unit: CatalogChanges
  readonly rights: TransactionPermissions
  /** Transactions change no namespaces and partitions. */
  readonly namespaces: Namespaces
  readonly partitions: Partitions
  /** Size of the trees that its operations have read. */
  readTrees: TreeSize
  /** Changed configuration entries by key, if any; they are validated together at the end. */
  entryChanges?: Map<string, EntryChange>
}

export interface Result {
  /** An object with one field, the kind. */
  readonly json: string
  /** False for a result that the caller may not read, which is omitted. */
  readonly isReadable: boolean
}

/** What all elements of a transaction have. */
export interface OperationFields {
  readonly verb: string
  readonly tenancy: Tenancy
  readonly index: bigint
}

export interface Operation {
  /** True for a write, even if it does not run. */
  readonly isWrite: boolean
  readonly effect: Effect
  readonly tenancy: Tenancy
  /** Scope of its tenancy; `namespace` by default. */
  readonly scope?: Scope
  /** Runs before any operation is applied. @throws Refusal */
  check(context: TransactionContext): void
  /** Emits the changes. The results may be read once, also after the commit. @throws Refusal on failure */
  apply(context: TransactionContext): Iterable<Result>
}

/** Machine-readable reasons of failures (consul#3090). */
type FailureCode = 'stale' | 'exists' | 'missing' | 'locked' | 'denied' | 'invalid'

export const failure = (text: string, code: FailureCode): Refusal => new Refusal('txn.conflict', text, code)

/** @throws Refusal with code `denied` */
export const requireTransactionPermission = (
  { rights }: TransactionContext,
  ...permission: Parameters<TransactionPermissions['may']>
): void => {
  if (!rights.permits(...permission)) throw failure(rights.denial(...permission).message, 'denied')
}

export const NO_RESULTS: readonly Result[] = []
