// An attempt that was denied, as a line of the file that keeps them.
import type { Tenancy } from '../../events/envelope.js'

/** What somebody tried in vain. */
export interface DeniedAttempt {
  /** Of the token presented; '' where that is unknown. Never its secret. */
  readonly accessor: string
  readonly address: string
  readonly requestId: string
  readonly method: string
  /** Path and query of the request, as they came. */
  readonly url: string
  /** What was missing; undefined where it was not a permission that the token lacked. */
  readonly lacking?: MissingPermission
  /** The text of the refusal, where no permission was missing. */
  readonly refusal?: string
}

interface MissingPermission {
  /** As in `key:write`. */
  readonly permission: string
  /** Name of the resource; '' if the permission has no name; null: all resources. */
  readonly on: string | null
  readonly tenancy: Tenancy
}

/** A line of the file: an attempt, or how many were left out. */
export interface DenialLine {
  /** RFC 3339. */
  readonly Time: string
  /** Index of the newest commit of that moment. */
  readonly AfterIndex: number
  readonly AccessorID?: string
  /** Who it was, and from where, was erased: the fields are empty. */
  readonly Erased?: true
  readonly Address?: string
  readonly RequestID?: string
  readonly Method?: string
  /** With its query, but without secrets. */
  readonly Path?: string
  readonly Permission?: string
  /** What the permission was missing on; null: on everything. */
  readonly On?: string | null
  /** Empty: every namespace. */
  readonly Namespace?: string
  readonly Partition?: string
  readonly Refusal?: string
  /** How often the same was tried within a moment, where it was more than once. */
  readonly Count?: number
  /** Attempts of this moment that no line tells of, since there were too many or they could not be written. */
  readonly LeftOut?: number
}

/**
 * A line without who made the attempt, where that is one accessor; any other line as it is. One that is damaged and names the accessor is
 * empty afterwards.
 * @param before index of a commit: attempts after it stay
 */
export const withoutCaller = (text: string, accessor: string, before: number): string => {
  if (!text.includes(accessor)) return text
  const line = readDenialLine(text)
  if (!line) return ''
  if (line.AccessorID !== accessor || line.AfterIndex >= before) return text
  return JSON.stringify({ ...line, AccessorID: '', Address: '', RequestID: '', Erased: true })
}

/** The line in a text; undefined where it is none, as in a file that was damaged. */
export const readDenialLine = (text: string): DenialLine | undefined => {
  try {
    const line: unknown = JSON.parse(text)
    return isDenialLine(line) ? line : undefined
  } catch {
    return undefined
  }
}

const isDenialLine = (line: unknown): line is DenialLine =>
  typeof line === 'object' &&
  line !== null &&
  'Time' in line &&
  typeof line.Time === 'string' &&
  'AfterIndex' in line &&
  typeof line.AfterIndex === 'number'

/** Different attempts of a moment that are kept; the others are counted. */
const MOST = 256

/** What was tried, and how often. */
export interface CountedAttempt {
  readonly attempt: DeniedAttempt
  readonly count: number
}

export class AggregatedAttempts<Kept> {
  #tried = new Map<string, { readonly kept: Kept; count: number }>()
  #leftOut = 0

  /** @param keptOf what is kept of an attempt, when it is the first of its kind */
  constructor(private readonly keptOf: (attempt: DeniedAttempt) => Kept) {}

  add(attempt: DeniedAttempt, count = 1): void {
    const { accessor, address, method, url, lacking, refusal } = attempt
    const { permission, on, tenancy } = lacking ?? {}
    const key = JSON.stringify([accessor, address, method, url, permission, on, tenancy, refusal])
    const tried = this.#tried.get(key)
    if (tried) tried.count += count
    else if (this.#tried.size < MOST) this.#tried.set(key, { kept: this.keptOf(attempt), count })
    else this.#leftOut += count
  }

  /** Counts attempts that are not recorded. */
  leaveOut(count: number): void {
    this.#leftOut += count
  }

  /** What was gathered since the last call. */
  take(): {
    readonly tried: readonly { readonly kept: Kept; readonly count: number }[]
    readonly leftOut: number
  } {
    const [tried, leftOut] = [[...this.#tried.values()], this.#leftOut]
    this.#tried = new Map()
    this.#leftOut = 0
    return { tried, leftOut }
  }
}
