// The shape of a recorded case file: requests, and what the reference answered to them.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** How the server is configured for a case. */
export interface Profile {
  readonly acl?: 'deny' | 'allow' | 'off'
  /** False: the case bootstraps the ACL system itself. */
  readonly bootstrap?: boolean
  /** Secret of the configured initial management token; it is the root then. */
  readonly initial_management?: string
}

/** Status 0 stands for no answer; then the body says why. */
export interface Transcript {
  readonly status: number
  /** Lower-case names; only those that are compared. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or the text when it is not JSON. */
  readonly body: Json
}

/** `${name}` in `do`, `as`, `headers`, `body` and `raw` is what an earlier step saved; `"${name}#"` is that as a number. */
export interface Step {
  /** Method, blank, path with query. */
  readonly do: string
  /** Secret to send; `root` or absent: the management token; null: none. */
  readonly as?: string | null
  readonly body?: Json
  /** A body that is not JSON. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Name -> path into the answer's body, or `header:NAME`. */
  readonly save?: Readonly<Record<string, string>>
  /** A time that the case needs to pass, in ms (something expires). */
  readonly sleep_ms?: number
  readonly repeat_until?: Condition
  readonly timeout_ms?: number
  /** Paths that are not compared; `*` stands for any position in a list. */
  readonly ignore?: readonly string[]
  /** Paths of lists that are compared without their order; true: all. */
  readonly unordered?: boolean | readonly string[]
  readonly only?: 'status'
  /** Fields that are not expected are faults. */
  readonly exact?: boolean
  /** Overrides the expected status. */
  readonly status?: number
  readonly expect: Transcript
}

export interface Condition {
  readonly status?: number
  readonly path?: string
  readonly equals?: Json
  readonly within_ms?: number
}

export interface Case {
  readonly title: string
  /** Needs a server of its own. */
  readonly fresh?: boolean
  readonly profile?: Profile
  readonly steps: readonly Step[]
}

export interface CaseFile {
  readonly area: string
  readonly profile?: Profile
  readonly cases: readonly Case[]
}

/** The value at a dotted path, such as `0.Policies.1.ID`; undefined when there is none. */
export function valueAt(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value
  for (const key of path === '' ? [] : path.split('.')) {
    if (isList(at)) at = at[Number(key)]
    else if (isObject(at)) at = at[key]
    else return undefined
  }
  return at
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
