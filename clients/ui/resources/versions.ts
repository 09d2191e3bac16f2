// Versions of one thing, as the history tells them.

/** An operation of a JSON Patch (RFC 6902). */
export interface Change {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

export interface Version {
  readonly Index: number
  /** RFC 3339; not of what was there before the oldest commit that is kept. */
  readonly Time?: string
  readonly Type: string
  /** Only for who may read it. */
  readonly By?: {
    readonly AccessorID: string
    readonly TokenName?: string
    readonly Address: string
    readonly Command: string
    readonly Reason?: string
    readonly Erased?: true
  }
  /** Against the version before. */
  readonly Patch?: readonly Change[]
  readonly Payload?: Readonly<Record<string, unknown>>
  /** What it said was erased. */
  readonly Erased?: true
  /** The token has no permission to read the version. */
  readonly Withheld?: true
  /** What it was when the commits before were let go. */
  readonly Base?: true
}

/** A value as text that people read. */
export const versionViewFor = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
