// The messages between the deciding thread and the one that compares rights.
import type { ChangeHead, ChangePart } from '../../../../projections/acl/impact/compared-change.js'
import type { ImpactEffect, ImpactSummary } from '../../../../projections/acl/impact/compare-groups.js'

/** `change` begins another one. `compare` and `effect` are answered. */
export type ImpactTask =
  | { readonly kind: 'change'; readonly head: ChangeHead }
  | { readonly kind: 'parts'; readonly parts: readonly ChangePart[] }
  | { readonly kind: 'compare' }
  | { readonly kind: 'effect'; readonly number: number }

export interface Compared extends ImpactSummary {
  /** Number of effects. */
  readonly effects: number
}

export interface ComparedEffect extends Omit<ImpactEffect, 'rights'> {
  /** As JSON. */
  readonly rights: string
}

export type ImpactAnswer =
  ({ readonly kind: 'compared' } & Compared) | ({ readonly kind: 'effect' } & ComparedEffect)
