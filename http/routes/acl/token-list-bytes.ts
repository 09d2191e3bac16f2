// The list of all tokens of a namespace as bytes, of which only what changed is made anew (spec: acl.md §3.9).
import { Lifecycle, scoped } from 'tsyringe'
import type { NameSource } from '../../../projections/definition/resource-views.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { RecentlyUsed } from '../../../projections/recently-used.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { withNamespace } from '../../wire/namespace-view.js'
import { TokenUse } from '../../wire/token-use.js'

const MOST_LISTS = 64
const MOST_BYTES = 64 * 1024 * 1024

/** Tokens whose secrets begin alike, which stand together in a list, and where their text is in its bytes. */
interface Run {
  readonly rows: readonly TokenRow[]
  readonly begin: number
  readonly end: number
}

interface KeptList {
  /** The rows that it was made of, expired ones among them. A table's list is the same object until it changes. */
  readonly rows: readonly TokenRow[]
  readonly namesVersion: number
  readonly useVersion: number
  /** It holds from when it was made until the first of its tokens expires; epoch milliseconds. */
  readonly from: number
  readonly until: number
  readonly runs: ReadonlyMap<number, Run>
  readonly bytes: Buffer
}

/** Which list of tokens is asked for. */
interface TokenListQuestion {
  /** Names the tenancy. */
  readonly space: string
  /** Finds a token by its accessor, wherever it is. */
  readonly find: (accessor: string) => TokenRow | undefined
  /** All tokens of the tenancy in the order of their secrets. */
  readonly rows: readonly TokenRow[]
  readonly names: NameSource
  /** Whether `<hidden>` stands for the secrets. */
  readonly isHidden: boolean
  /** Whether the request names its namespace, so that each token says it, also where it is `default`. */
  readonly isNamespaceNamed: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/** The first two characters of a secret: 256 runs of random ones. */
const runOf = ({ secret }: TokenRow): number => secret.charCodeAt(0) * 65_536 + (secret.charCodeAt(1) || 0)

/** The text of a token's object with the minute of its last use, if one is known. */
export const withLastUsed = (use: TokenUse, { token }: TokenRow, text: string): string => {
  const at = use.lastUsedText(token.AccessorID)
  return at === undefined ? text : `${text.slice(0, -1)},"LastUsed":"${at}"}`
}

/**
 * Costs: a list O(1) while nothing that it shows has changed: its tokens, names of policies and roles, minutes of last
 * uses, and who has expired. After uses it costs a copy of the bytes that stay and the making of the runs that changed, of
 * which a namespace has 256; after a change of tokens a look at each row besides; after the renaming or removal of any
 * policy or role the making of all. Memory: the bytes of a list once (about 450 a token), with hidden and with real
 * secrets, and with and without `default` apart, and 16 bytes a token; 64 lists and 64 MiB at most, beyond which lists are made for each reader.
 */
@scoped(Lifecycle.ContainerScoped)
export class TokenListBytes {
  readonly #kept = new RecentlyUsed<KeptList>(
    { count: MOST_LISTS, size: MOST_BYTES },
    ({ bytes }) => bytes.length
  )

  constructor(private readonly use: TokenUse) {}

  /** The JSON array of all tokens of a tenancy that have not expired. */
  of(question: TokenListQuestion): Buffer {
    const { space, rows, names, isHidden, isNamespaceNamed, now } = question
    const key = `${isHidden ? 'hidden' : 'shown'} ${isNamespaceNamed ? 'named' : ''} ${space}`
    const kept = this.#kept.get(key)
    const stands =
      kept?.rows === rows &&
      kept.namesVersion === names.namesVersion &&
      kept.useVersion === this.use.version &&
      kept.from <= now &&
      now <= kept.until
    if (stands) return kept.bytes
    const made = this.#make(question, kept?.namesVersion === names.namesVersion ? kept : undefined)
    this.#kept.set(key, made)
    return made.bytes
  }

  #make(question: TokenListQuestion, before: KeptList | undefined): KeptList {
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

  /** The runs in which a minute has changed; undefined where that is not known. */
  #staleRuns({ find }: TokenListQuestion, { useVersion }: KeptList): ReadonlySet<number> | undefined {
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

/** The rows that are valid at a time, by their runs in the order of the list. */
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
