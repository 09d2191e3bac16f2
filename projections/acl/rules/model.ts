/** `list` exists for keys only. */
export type Level = 'deny' | 'read' | 'list' | 'write'

/** Rules without a label: `acl = "read"`. */
export const UNLABELLED = ['acl', 'keyring', 'operator'] as const
/** Rules with a label, each also as `…_prefix`: `key_prefix "app/" { policy = "read" }`. */
export const LABELLED = ['agent', 'event', 'key', 'node', 'query', 'service', 'session'] as const

export type UnlabelledResource = (typeof UNLABELLED)[number]
export type LabelledResource = (typeof LABELLED)[number]
/** `namespace` is the permission on a namespace itself: `policy = …` directly inside a namespace block. */
export type RuleResource = UnlabelledResource | LabelledResource | 'namespace'

/** `intention` has no rules of its own. */
export type Resource = RuleResource | 'intention'

/** The part of a tenancy that counts for a resource: none for the whole cluster (spec: tenancy.md §9). */
export const SCOPES: Readonly<Record<Resource, 'cluster' | 'partition' | 'namespace'>> = {
  acl: 'namespace',
  agent: 'partition',
  event: 'cluster',
  intention: 'namespace',
  key: 'namespace',
  keyring: 'cluster',
  namespace: 'namespace',
  node: 'namespace',
  operator: 'cluster',
  query: 'cluster',
  service: 'namespace',
  session: 'namespace'
}

export type Match = 'exact' | 'prefix'

/** A rule without a label is an exact rule with the label `''` (spec: acl.md §8.2, tenancy.md §9.1). */
export interface Rule {
  readonly resource: RuleResource
  readonly match: Match
  readonly label: string
  readonly level: Level
  /** Only of services; null if the text omits it, so that it is derived after merging. */
  readonly intentions: Level | null
  /** Position in its text, counted from 1; 0 for a rule without text. */
  readonly line: number
  readonly column: number
}

/** Namespaces or partitions: one by name, or all with the label as prefix. Lower case. */
export interface ScopeName {
  readonly match: Match
  readonly label: string
}

/** The partitions and namespaces to which rules apply. */
export interface Scope {
  readonly partition: ScopeName
  readonly namespace: ScopeName
}

export const exactly = (label: string): ScopeName => ({ match: 'exact', label })

/** A name, or a prefix followed by `*`. */
export const scopeText = ({ match, label }: ScopeName): string => (match === 'prefix' ? `${label}*` : label)

/** The rules inside a `namespace` or `partition` block. Those directly inside a partition apply to its `default`. */
export interface ScopeBlock {
  /** Null: the partition of the policy. */
  readonly partition: ScopeName | null
  readonly namespace: ScopeName
  readonly rules: readonly Rule[]
}

/** A part of a text that is accepted but has no effect. */
export interface RuleWarning {
  readonly message: string
  readonly line: number
  readonly column: number
}

export interface RuleSet {
  /** Rules outside of blocks, which apply to the namespace and partition of the policy. */
  readonly rules: readonly Rule[]
  readonly blocks: readonly ScopeBlock[]
  readonly warnings: readonly RuleWarning[]
}

/** The rule as in its text: `key_prefix "app/"`, `acl`. */
export const ruleName = ({ resource, match, label }: Pick<Rule, 'resource' | 'match' | 'label'>): string => {
  if (resource === 'namespace') return 'policy of the namespace'
  if (resource === 'acl' || resource === 'keyring' || resource === 'operator') return resource
  return `${resource}${match === 'prefix' ? '_prefix' : ''} ${JSON.stringify(label)}`
}

/** A refused rule text. `line` and `column` count from 1 and point at the cause. */
export class RuleError extends Error {
  override readonly name = 'RuleError'

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
    /** For a text that is not HCL or JSON: the message without its prefix, as the translation of rules reports it. */
    readonly syntax: string | null = null
  ) {
    super(message)
  }

  static ofSyntax(what: string, line: number, column: number): RuleError {
    const syntax = `At ${line}:${column}: ${what}`
    return new RuleError(`Failed to parse ACL rules: ${syntax}`, line, column, syntax)
  }
}
