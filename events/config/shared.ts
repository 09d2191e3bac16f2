// Parts that several kinds of configuration entries have (spec: config.md §3). All shapes are the read form: a field
// that is left out of an answer is left out here.

/** Fields of every stored entry. */
export interface StoredFields {
  /** Left out in the namespace `default` (tenancy.md §8). */
  readonly Namespace?: string
  /** Left out in the partition `default`. */
  readonly Partition?: string
  /** Index of the write that made the entry. */
  readonly CreateIndex: number
  /** Index of the last write that changed it. */
  readonly ModifyIndex: number
}

export interface WithMeta {
  readonly Meta?: Readonly<Record<string, string>>
}

/** `Mode` is free text; `none`, `local` and `remote` have a meaning. */
export interface MeshGateway {
  readonly Mode?: string
}

interface ExposePath {
  readonly ListenerPort?: number
  readonly Path?: string
  readonly LocalPathPort?: number
  readonly Protocol?: string
  readonly ParsedFromCheck?: boolean
}

export interface Expose {
  readonly Checks?: boolean
  readonly Paths?: readonly ExposePath[]
}

export interface TransparentProxy {
  readonly OutboundListenerPort?: number
  readonly DialedDirectly?: boolean
}

/** A condition on a header of a request: exactly one of Present, Exact, Prefix, Suffix and Regex. */
export interface HeaderMatch {
  readonly Name: string
  readonly Present?: boolean
  readonly Exact?: string
  readonly Prefix?: string
  readonly Suffix?: string
  readonly Regex?: string
  readonly Invert?: boolean
}
