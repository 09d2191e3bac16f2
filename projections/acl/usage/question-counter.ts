import type { Tenancy } from '../../../events/envelope.js'
import { LABELLED, UNLABELLED, type Resource } from '../rules/model.js'
import {
  effectiveTenancy,
  type Extent,
  type Holdings,
  type Question,
  type QuestionAccess,
  type RecordedQuestion
} from './question.js'
import { SegmentTable } from './segment-table.js'

const RESOURCES: readonly Resource[] = [...UNLABELLED, ...LABELLED, 'intention', 'namespace']
const ACCESSES: readonly QuestionAccess[] = ['read', 'list', 'write', 'write-prefix', 'read-all']

const numbered = (names: readonly string[], factor: number): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name, number) => [name, number * factor]))

const OF_RESOURCE = numbered(RESOURCES, 2 * ACCESSES.length)
const OF_ACCESS = numbered(ACCESSES, 2)

/** A small number for each resource, access and answer, which files contain. */
export const codeOf = (resource: Resource, access: QuestionAccess, isAllowed: boolean): number =>
  (OF_RESOURCE[resource] ?? 0) + (OF_ACCESS[access] ?? 0) + (isAllowed ? 1 : 0)

/** Undefined for a number that `codeOf` never returns. */
export const kindOf = (
  code: number
): (Pick<Question, 'resource' | 'access'> & Pick<RecordedQuestion, 'isAllowed'>) | undefined => {
  const resource = RESOURCES[Math.floor(code / (2 * ACCESSES.length))]
  const access = ACCESSES[Math.floor((code % (2 * ACCESSES.length)) / 2)]
  return resource && access ? { resource, access, isAllowed: code % 2 === 1 } : undefined
}

interface Counted {
  count: number
}

const COUNTED = {
  create: (): Counted => ({ count: 0 }),
  merge: (into: Counted, from: Counted): void => {
    into.count += from.count
  }
}

/** Questions of one kind about one tenancy. */
type QuestionCounts = readonly [
  code: number,
  partition: string,
  namespace: string,
  segments: readonly (readonly [segment: string, extent: Extent, count: number])[]
]

/** The questions of one token since the last report. */
interface TokenQuestions {
  readonly accessor: string
  readonly holdings: Holdings
  readonly questions: readonly QuestionCounts[]
}

/** Names of one kind of question before they are collapsed. */
export const MOST_SEGMENTS = 64
/** Longer names are recorded as prefixes of this length. Namespaces are shorter. */
export const LONGEST_NAME = 512
/** Counted questions that are reported at once. */
const MOST_PENDING = 512

/** A token as the record needs it. */
interface CountedToken {
  readonly token: Omit<Holdings, 'tenancy'> & { readonly AccessorID: string }
  readonly tenancy: Tenancy
}

const holdingsOf = ({ token, tenancy }: CountedToken): Holdings => ({
  tenancy,
  Policies: token.Policies.map(({ ID }) => ({ ID })),
  Roles: token.Roles.map(({ ID }) => ({ ID })),
  ServiceIdentities: token.ServiceIdentities,
  NodeIdentities: token.NodeIdentities,
  ...(token.Rules === undefined ? {} : { Rules: token.Rules })
})

interface Place extends Tenancy {
  readonly table: SegmentTable<Counted>
}

/** The counts of one token: by kind of question, tenancy and name. */
class TokenCounts {
  readonly #last: (Place | undefined)[] = []
  readonly #places: (Map<string, Place> | undefined)[] = []

  /** Undefined for a namespace whose name is too long. */
  table(code: number, partition: string, namespace: string): SegmentTable<Counted> | undefined {
    const last = this.#last[code]
    if (last !== undefined && last.namespace === namespace && last.partition === partition) return last.table
    return this.#find(code, partition, namespace)
  }

  #find(code: number, partition: string, namespace: string): SegmentTable<Counted> | undefined {
    const places = (this.#places[code] ??= new Map<string, Place>())
    const key = `${partition}/${namespace}`
    let place = places.get(key)
    if (!place) {
      if (key.length > LONGEST_NAME) return undefined
      place = { partition, namespace, table: new SegmentTable<Counted>(MOST_SEGMENTS, COUNTED) }
      places.set(key, place)
    }
    this.#last[code] = place
    return place.table
  }

  *counts(): Iterable<QuestionCounts> {
    for (const [code, places] of this.#places.entries())
      for (const { partition, namespace, table } of places?.values() ?? []) {
        const kind = kindOf(code)
        if (!kind) continue
        const tenancy = effectiveTenancy(kind.resource, { partition, namespace })
        const segments = Array.from(
          table,
          ([segment, extent, { count }]) => [segment, extent, count] as const
        )
        yield [code, tenancy.partition, tenancy.namespace, segments.filter(([, , count]) => count > 0)]
      }
  }
}

/** What a process reports at a time. */
export interface UsageReport {
  readonly tokens: readonly TokenQuestions[]
  /** Questions that were not recorded. */
  readonly leftOut: number
}

/**
 * Counts questions until they are reported. Counting a question that was counted before costs four look-ups and allocates nothing. Memory: at most
 * 512 questions.
 */
export class QuestionCounter {
  #tokens = new Map<CountedToken, TokenCounts>()
  #pending = 0
  #leftOut = 0

  /** @param wake called with the first question after each report, and when it must be made now */
  constructor(private readonly wake: (isFull: boolean) => void) {}

  count(
    token: CountedToken,
    resource: Resource,
    access: QuestionAccess,
    segment: string,
    tenancy: Tenancy,
    isAllowed: boolean,
    extent: Extent = 'one'
  ): Counted | undefined {
    const { partition, namespace } = tenancy
    const counts = this.#tokens.get(token) ?? this.#begin(token)
    const table = counts.table(codeOf(resource, access, isAllowed), partition, namespace)
    if (!table) {
      this.#leftOut++
      return undefined
    }
    const isLong = segment.length > LONGEST_NAME
    const counted = isLong
      ? table.at(segment.slice(0, LONGEST_NAME), 'collapsed')
      : extent === 'one'
        ? table.one(segment)
        : table.at(segment, extent)
    if (counted.count++ === 0 && ++this.#pending >= MOST_PENDING) this.wake(true)
    return counted
  }

  take(): UsageReport {
    const tokens = Array.from(this.#tokens, ([row, counts]) => ({
      accessor: row.token.AccessorID,
      holdings: holdingsOf(row),
      questions: [...counts.counts()]
    }))
    const report = { tokens, leftOut: this.#leftOut }
    this.#tokens = new Map()
    this.#pending = 0
    this.#leftOut = 0
    return report
  }

  #begin(token: CountedToken): TokenCounts {
    if (this.#tokens.size === 0) this.wake(false)
    const counts = new TokenCounts()
    this.#tokens.set(token, counts)
    return counts
  }
}
