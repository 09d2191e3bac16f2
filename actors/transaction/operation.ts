// What an operation of a transaction is to the transaction, whatever its kind (spec: state.md §3).
import type { Tenancy } from '../../events/envelope.js'
import type { Access, Resource } from '../../projections/acl/authorizer.js'
import type { CatalogChanges } from '../catalog/catalog-changes.js'
import type { EntryChange } from '../../projections/config/affected.js'
import type { ModelsOverlay } from '../../projections/models.js'
import type { Namespaces } from '../../projections/tenancy/namespaces.js'
import type { Partitions } from '../../projections/tenancy/partitions.js'
import { Refusal } from '../refusal.js'
import type { Effect, Scope } from '../aggregate.js'

/** What the caller may do. */
export interface TransactionPermissions {
  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean
  /** The text of the refusal for a missing right. */
  denial(resource: Resource, access: Access, segment: string, tenancy: Tenancy): string
}

/** What operations work with: on the overlay each sees what those before it did. */
export interface TransactionContext {
  readonly models: ModelsOverlay
  /** Takes events in, folds them into the overlay, and knows the index and time of the commit to come. */
  readonly unit: CatalogChanges
  readonly rights: TransactionPermissions
  /** Those before the transaction, which changes none. */
  readonly namespaces: Namespaces
  readonly partitions: Partitions
  /** The configuration entries changed so far, by their keys; they are checked together at the end. */
  readonly entryChanges: Map<string, EntryChange>
}

/** What an operation has to show. */
export interface Result {
  /** An object with one field, the kind. */
  readonly json: string
  /** Whether the caller may see it; others are left out without a word. */
  readonly isReadable: boolean
}

/** An operation, ready to be tried. */
export interface Operation {
  /** Whether it counts as a write, be it tried or not. */
  readonly isWrite: boolean
  readonly effect: Effect
  /** Where it writes. */
  readonly tenancy: Tenancy
  /** What its tenancy is to it; a namespace unless said otherwise. */
  readonly scope?: Scope
  /** What is looked at before anything is tried. @throws Refusal */
  check(context: TransactionContext): void
  /** Emits what it changes. @throws Refusal when it fails */
  apply(context: TransactionContext): readonly Result[]
}

/** Words for why an operation failed, for programs (consul#3090). */
type FailureCode = 'stale' | 'exists' | 'missing' | 'locked' | 'denied' | 'invalid'

/** An operation fails. */
export const failure = (text: string, code: FailureCode): Refusal => new Refusal('conflict', text, code)

/** @throws Refusal with code `denied` */
export const requireTransactionPermission = (
  { rights }: TransactionContext,
  resource: Resource,
  access: Access,
  segment: string,
  tenancy: Tenancy
): void => {
  if (!rights.may(resource, access, segment, tenancy))
    throw failure(rights.denial(resource, access, segment, tenancy), 'denied')
}

export const NO_RESULTS: readonly Result[] = []
