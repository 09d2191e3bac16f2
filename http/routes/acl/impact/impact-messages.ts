// The messages between the deciding thread and the one that compares rights, and decides those of an earlier state.
import type {
  HistoricalQuestion,
  HolderName,
  StatePart
} from '../../../../projections/acl/historical-holders.js'
import type { ChangeHead, ChangePart } from '../../../../projections/acl/impact/compared-change.js'
import type { ImpactEffect, ImpactSummary } from '../../../../projections/acl/impact/compare-groups.js'
import type { ErasedVersion } from '../../../../projections/history/history-fold.js'

/** `change` and `state` begin another one. `fold` and what follows, `compare` and `effect` are answered. */
export type ImpactTask =
  | { readonly kind: 'change'; readonly head: ChangeHead }
  | { readonly kind: 'parts'; readonly parts: readonly ChangePart[] }
  | { readonly kind: 'compare' }
  | { readonly kind: 'effect'; readonly number: number }
  | { readonly kind: 'state'; readonly asked: HistoricalQuestion }
  | { readonly kind: 'fold'; readonly part: StatePart }
  | { readonly kind: 'decide' }
  | { readonly kind: 'names'; readonly from: number; readonly count: number }
  | { readonly kind: 'texts'; readonly numbers: readonly number[] }

export interface Compared extends ImpactSummary {
  /** Number of effects. */
  readonly effects: number
}

export interface ComparedEffect extends Omit<ImpactEffect, 'rights'> {
  /** As JSON. */
  readonly rights: string
}

interface Decided {
  /** See `HistoricalHolders`. */
  readonly index: number
  readonly erased: ErasedVersion | undefined
}

export type ImpactAnswer =
  | ({ readonly kind: 'compared' } & Compared)
  | ({ readonly kind: 'effect' } & ComparedEffect)
  | { readonly kind: 'folded' }
  | ({ readonly kind: 'decided' } & Decided)
  | { readonly kind: 'names'; readonly names: readonly HolderName[] }
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
