import type { Tenancy } from '../../events/envelope.js'
import { isObject, parseJson } from '../../events/values.js'

export interface DeniedAttempt {
  /** The AccessorID of the token; empty if unknown. Never its secret. */
  readonly accessor: string
  readonly address: string
  readonly requestId: string
  readonly method: string
  /** The received path and query. */
  readonly url: string
  /** Undefined for refusals for another reason. */
  readonly lacking?: MissingPermission
  /** The text of a refusal for another reason than a missing permission. */
  readonly refusal?: string
}

export interface MissingPermission {
  /** As in `key:write`. */
  readonly permission: string
  /** Name of the resource; '' for permissions without names; null for all names. */
  readonly on: string | null
  /** An empty name means all namespaces or partitions. */
  readonly tenancy: Tenancy
}

/** A line of the file: an attempt, or the number of unrecorded attempts. */
export interface DenialLine {
  /** RFC 3339. */
  readonly Time: string
  /** Index of the newest commit at that time. */
  readonly AfterIndex: number
  readonly AccessorID?: string
  /** The origin was erased, so its fields are empty. */
  readonly Erased?: true
  readonly Address?: string
  readonly RequestID?: string
  readonly Method?: string
  /** With its query, but without secrets. */
  readonly Path?: string
  readonly Permission?: string
  /** The resource's name; null for all resources. */
  readonly On?: string | null
  /** Empty: every namespace. */
  readonly Namespace?: string
  readonly Partition?: string
  readonly Refusal?: string
  /** The number of equal attempts in the batch, if more than one. */
  readonly Count?: number
  /** The number of attempts of the batch without a line, since there were too many or a write failed. */
  readonly LeftOut?: number
}

/**
 * Erases the origin in a line of one accessor; returns other lines unchanged, and an empty text for a damaged line with the accessor.
 * @param before index of a commit, after which attempts stay
 */
export const withoutCaller = (text: string, accessor: string, before: number): string => {
  if (!text.includes(accessor)) return text
  const line = readDenialLine(text)
  if (!line) return ''
  if (line.AccessorID !== accessor || line.AfterIndex >= before) return text
  return JSON.stringify({ ...line, AccessorID: '', Address: '', RequestID: '', Erased: true })
}

export const readDenialLine = (text: string): DenialLine | undefined => {
  const line = parseJson(text)
  return isDenialLine(line) ? line : undefined
}

const isDenialLine = (line: unknown): line is DenialLine =>
  isObject(line) && typeof line['Time'] === 'string' && typeof line['AfterIndex'] === 'number'

/** Maximum number of different attempts in a batch; the others are counted. */
const MOST = 256

export interface CountedAttempt {
  readonly attempt: DeniedAttempt
  readonly count: number
}

export class AggregatedAttempts<Kept> {
  #tried = new Map<string, { readonly kept: Kept; count: number }>()
  #leftOut = 0

  /** @param keptOf returns the record of the first of several equal attempts */
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

  leaveOut(count: number): void {
    this.#leftOut += count
  }

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
