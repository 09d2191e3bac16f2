// The encoded list of all tokens of a namespace. Only changed runs are encoded again (spec: acl.md §3.9).
import { LRUCache } from 'lru-cache'
import { Lifecycle, scoped } from 'tsyringe'
import type { NameSource } from '../../../events/definition/forms/form.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import type { BytePieces } from '../../../projections/byte-pieces.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { withNamespace } from '../../wire/request-context.js'
import { TokenUse } from '../../wire/token-use.js'

const MAX_LISTS = 64
const MAX_BYTES = 64 * 1024 * 1024

/** Adjacent tokens of a list whose secrets share a prefix, and their encoded elements. */
interface Run {
  readonly rows: readonly TokenRow[]
  readonly bytes: Buffer
}

interface CachedList {
  readonly version: string
  readonly namesVersion: number
  readonly useVersion: number
  /** The list is valid from its creation until the first of its tokens expires; epoch milliseconds. */
  readonly from: number
  readonly until: number
  readonly runs: ReadonlyMap<number, Run>
  readonly bytes: BytePieces
}

interface TokenListQuestion {
  readonly space: string
  /** Finds a token by its accessor in any tenancy. */
  readonly find: (accessor: string) => TokenRow | undefined
  /** All tokens of the tenancy in the order of their secrets. */
  readonly rows: Iterable<TokenRow>
  /** Changes with the rows. */
  readonly version: string
  readonly names: NameSource
  /** Whether `<hidden>` replaces the secrets. */
  readonly isHidden: boolean
  /** Whether each token includes its namespace, even `default`. */
  readonly isNamespaceNamed: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/** The first two characters of the order, mostly the secret: 256 runs of random ones. */
const runOf = ({ order }: TokenRow): number => order.charCodeAt(0) * 65_536 + (order.charCodeAt(1) || 0)

/** Adds the minute of the last use to the JSON text of a token. */
export const withLastUsed = (use: TokenUse, { token }: TokenRow, text: string): string => {
  const at = use.lastUsedText(token.AccessorID)
  return at === undefined ? text : `${text.slice(0, -1)},"LastUsed":"${at}"}`
}

/**
 * Caches encoded lists. A hit costs O(1) while tokens, names of policies and roles, uses and expiry stay the same. New uses cost the encoding of
 * the changed runs. A namespace has 256 runs. Changed tokens also cost a comparison of each row. A renamed or removed policy or role costs the
 * encoding of all runs. Memory: about 450 bytes a token and list variant (hidden or real secrets, with or without `default`), at most 64 lists
 * and 64 MiB. Lists beyond the limit are not cached.
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
  *of(question: TokenListQuestion): Steps<BytePieces> {
    const { space, version, names, isHidden, isNamespaceNamed, now } = question
    const key = `${isHidden ? 'hidden' : 'shown'} ${isNamespaceNamed ? 'named' : ''} ${space}`
    const cached = this.#lists.get(key)
    const isCurrent =
      cached?.version === version &&
      cached.namesVersion === names.namesVersion &&
      cached.useVersion === this.use.version &&
      cached.from <= now &&
      now <= cached.until
    if (isCurrent) return cached.bytes
    const before = cached?.namesVersion === names.namesVersion ? cached : undefined
    const list = yield* this.#encode(question, before)
    this.#lists.set(key, list)
    return list.bytes
  }

  *#encode(question: TokenListQuestion, before: CachedList | undefined): Steps<CachedList> {
    const { version, now } = question
    const { namesVersion } = question.names
    const useVersion = this.use.version
    const stale = before && this.#staleRuns(question, before)
    const list = new JsonList()
    const runs = new Map<number, Run>()
    const isSame = before?.version === version && before.from <= now && now <= before.until
    const all = isSame ? membersOf(before.runs) : yield* runsOf(question.rows, now)
    let until = Infinity
    for (const [number, rows] of all) {
      const old = before?.runs.get(number)
      const isOld = old && stale?.has(number) === false && (isSame || isSameRun(old, rows))
      const run = isOld ? old : { rows, bytes: yield* this.#bytesOf(question, rows) }
      list.pushJoined(run.bytes)
      runs.set(number, run)
      for (const { expiresAt } of rows) until = Math.min(until, expiresAt)
      yield
    }
    return { version, namesVersion, useVersion, from: now, until, runs, bytes: list.end() }
  }

  *#bytesOf(
    { names, isHidden, isNamespaceNamed }: TokenListQuestion,
    rows: readonly TokenRow[]
  ): Steps<Buffer> {
    const pace = new StepPace()
    const texts: string[] = []
    for (const row of rows) {
      const text = withLastUsed(this.use, row, row.listJson(names, isHidden))
      texts.push(isNamespaceNamed ? withNamespace(text, row.tenancy) : text)
      if (pace.isOver(text.length)) yield
    }
    return Buffer.from(texts.join(','))
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
function* runsOf(rows: Iterable<TokenRow>, now: number): Steps<Members> {
  const pace = new StepPace()
  const runs: [number, TokenRow[]][] = []
  for (const row of rows) {
    if (pace.isOver()) yield
    if (!row.isValid(now)) continue
    const run = runOf(row)
    const last = runs.at(-1)
    if (last?.[0] === run) last[1].push(row)
    else runs.push([run, [row]])
  }
  return runs
}

const isSameRun = (old: Run, rows: readonly TokenRow[]): boolean =>
  old.rows.length === rows.length && rows.every((row, i) => row === old.rows[i])
