/** An operation of a JSON Patch (RFC 6902). */
export interface Change {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

export interface Version {
  readonly Index: number
  /** RFC 3339; absent for the state before the oldest retained commit. */
  readonly Time?: string
  readonly Type: string
  /** Requires a permission. */
  readonly By?: {
    readonly AccessorID: string
    readonly TokenName?: string
    readonly Address: string
    readonly Command: string
    readonly Reason?: string
    readonly Erased?: true
  }
  /** The diff from the previous version. */
  readonly Patch?: readonly Change[]
  readonly Payload?: Readonly<Record<string, unknown>>
  /** The content was erased. */
  readonly Erased?: true
  /** The token has no permission to read the version. */
  readonly Withheld?: true
  /** The state at the oldest retained commit, whose own change was pruned. */
  readonly Base?: true
}

export const versionViewFor = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
