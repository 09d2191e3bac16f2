// The permission questions that requests ask, as the usage of rights records them.
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import type { Access } from '../authorizer.js'
import type { DirectGrants } from '../collect-rules.js'
import { SCOPES, type Resource } from '../rules/model.js'
import type { CountedTimes } from './day-counts.js'

/** `read-all`: reading every resource of a kind (spec: acl.md §9.7). */
export type QuestionAccess = Access | 'read-all'

/**
 * The resources that a question is about. `one`: the one that `segment` names. `list`: all with the prefix `segment`, listed by one rule.
 * `collapsed`: names with the prefix `segment`, which were too many to record each.
 */
export type Extent = 'one' | 'list' | 'collapsed'

export interface Question extends Tenancy {
  readonly resource: Resource
  readonly access: QuestionAccess
  readonly segment: string
  readonly extent: Extent
}

/** The links from which a token has its rights. */
export interface Holdings extends DirectGrants {
  readonly tenancy: Tenancy
  readonly Roles: NonNullable<DirectGrants['Roles']>
}

/** A token, or all deleted tokens that had the same links. */
export interface UsageSubject {
  /** Undefined for deleted tokens. */
  readonly accessor: string | undefined
  readonly holdings: Holdings
  /** Where the questions were asked; undefined for this datacenter. */
  readonly datacenter?: string
}

/** A question with its answer, and how often it was asked. */
export interface RecordedQuestion extends Question, CountedTimes {
  readonly isAllowed: boolean
}

/** The recorded questions of some tokens. */
export interface RecordedQuestions {
  subjects(): Iterable<UsageSubject>
  /** @param since the first minute since the epoch; questions of earlier days are left out */
  of(subject: UsageSubject, since?: number): Iterable<RecordedQuestion>
}

/** The tenancy as far as it counts for a resource. */
export const effectiveTenancy = (resource: Resource, { partition, namespace }: Tenancy): Tenancy => {
  if (SCOPES[resource] === 'cluster') return DEFAULT_TENANCY
  return SCOPES[resource] === 'partition' ? { ...DEFAULT_TENANCY, partition } : { partition, namespace }
}
