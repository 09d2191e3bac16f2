// The encoded list of all tokens of a namespace. Only changed runs are encoded again (spec: acl.md §3.9).
import { LRUCache } from 'lru-cache'
import { Lifecycle, scoped } from 'tsyringe'
import type { NameSource } from '../../../projections/definition/resource-views.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { withNamespace } from '../../wire/namespace-view.js'
import { TokenUse } from '../../wire/token-use.js'

const MAX_LISTS = 64
const MAX_BYTES = 64 * 1024 * 1024

/** Adjacent tokens of a list whose secrets share a prefix, and the range of their text in the list's bytes. */
interface Run {
  readonly rows: readonly TokenRow[]
  readonly begin: number
  readonly end: number
}

interface CachedList {
  /** The rows of the list, including expired ones. A table returns the same array until it changes. */
  readonly rows: readonly TokenRow[]
  readonly namesVersion: number
  readonly useVersion: number
  /** The list is valid from its creation until the first of its tokens expires; epoch milliseconds. */
  readonly from: number
  readonly until: number
  readonly runs: ReadonlyMap<number, Run>
  readonly bytes: Buffer
}

interface TokenListQuestion {
  readonly space: string
  /** Finds a token by its accessor in any tenancy. */
  readonly find: (accessor: string) => TokenRow | undefined
  /** All tokens of the tenancy in the order of their secrets. */
  readonly rows: readonly TokenRow[]
  readonly names: NameSource
  /** Whether `<hidden>` replaces the secrets. */
  readonly isHidden: boolean
  /** Whether each token includes its namespace, even `default`. */
  readonly isNamespaceNamed: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/** The first two characters of a secret: 256 runs of random ones. */
const runOf = ({ secret }: TokenRow): number => secret.charCodeAt(0) * 65_536 + (secret.charCodeAt(1) || 0)

/** Adds the minute of the last use to the JSON text of a token. */
export const withLastUsed = (use: TokenUse, { token }: TokenRow, text: string): string => {
  const at = use.lastUsedText(token.AccessorID)
  return at === undefined ? text : `${text.slice(0, -1)},"LastUsed":"${at}"}`
}

/**
 * Caches encoded lists. A hit costs O(1) while tokens, names of policies and roles, uses and expiry stay the same. New uses cost a copy
 * of the bytes and the encoding of the changed runs. A namespace has 256 runs. Changed tokens also cost a comparison of each row. A
 * renamed or removed policy or role costs the encoding of all runs. Memory: about 450 bytes a token and list variant (hidden or real
 * secrets, with or without `default`), at most 64 lists and 64 MiB. Lists beyond the limit are not cached.
 */
@scoped(Lifecycle.ContainerScoped)
export class TokenListBytes {
  readonly #lists = new LRUCache<string, CachedList>({
    max: MAX_LISTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length
  })

  constructor(private readonly use: TokenUse) {}

  /** Returns the JSON array of all valid tokens of a tenancy. */
  of(question: TokenListQuestion): Buffer {
    const { space, rows, names, isHidden, isNamespaceNamed, now } = question
    const key = `${isHidden ? 'hidden' : 'shown'} ${isNamespaceNamed ? 'named' : ''} ${space}`
    const cached = this.#lists.get(key)
    const isCurrent =
      cached?.rows === rows &&
      cached.namesVersion === names.namesVersion &&
      cached.useVersion === this.use.version &&
      cached.from <= now &&
      now <= cached.until
    if (isCurrent) return cached.bytes
    const list = this.#encode(question, cached?.namesVersion === names.namesVersion ? cached : undefined)
    this.#lists.set(key, list)
    return list.bytes
  }

  #encode(question: TokenListQuestion, before: CachedList | undefined): CachedList {
    const { rows, now } = question
    const { namesVersion } = question.names
    const useVersion = this.use.version
    const stale = before && this.#staleRuns(question, before)
    const list = new JsonList(before ? before.bytes.length + 1024 : rows.length * 512)
    const runs = new Map<number, Run>()
    const isSame = before?.rows === rows && before.from <= now && now <= before.until
    for (const [run, members] of isSame ? membersOf(before.runs) : runsOf(rows, now)) {
      const old = before?.runs.get(run)
      const begin = list.nextAt
      if (before && old && stale?.has(run) === false && (isSame || isSameRun(old, members)))
        list.pushJoined(before.bytes.subarray(old.begin, old.end))
      else for (const row of members) list.push(this.#entry(question, row))
      runs.set(run, { rows: members, begin, end: list.length })
    }
    const until = isSame ? before.until : firstExpiry(runs)
    return { rows, namesVersion, useVersion, from: now, until, runs, bytes: list.end() }
  }

  #entry({ names, isHidden, isNamespaceNamed }: TokenListQuestion, row: TokenRow): string {
    const text = withLastUsed(this.use, row, row.listJson(names, isHidden))
    return isNamespaceNamed ? withNamespace(text, row.tenancy) : text
  }

  /** Returns the runs with a changed minute of use; undefined if they are not known. */
  #staleRuns({ find }: TokenListQuestion, { useVersion }: CachedList): ReadonlySet<number> | undefined {
    const changed = this.use.changedSince(useVersion)
    if (!changed) return undefined
    const stale = new Set<number>()
    for (const accessor of changed) {
      const row = find(accessor)
      if (row) stale.add(runOf(row))
    }
    return stale
  }
}

type Members = readonly (readonly [run: number, rows: readonly TokenRow[]])[]

const membersOf = (runs: ReadonlyMap<number, Run>): Members =>
  Array.from(runs, ([run, { rows }]) => [run, rows] as const)

/** Groups the valid rows by run in list order. */
const runsOf = (rows: readonly TokenRow[], now: number): Members => {
  const runs: [number, TokenRow[]][] = []
  for (const row of rows) {
    if (!row.isValid(now)) continue
    const run = runOf(row)
    const last = runs.at(-1)
    if (last?.[0] === run) last[1].push(row)
    else runs.push([run, [row]])
  }
  return runs
}

const firstExpiry = (runs: ReadonlyMap<number, Run>): number => {
  let first = Infinity
  for (const { rows } of runs.values()) for (const row of rows) first = Math.min(first, row.expiresAt)
  return first
}

const isSameRun = (old: Run, rows: readonly TokenRow[]): boolean =>
  old.rows.length === rows.length && rows.every((row, i) => row === old.rows[i])
