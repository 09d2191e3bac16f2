// Why a token may or may not do something: the rule that decided, and by which links it came to the token.
import type { AuthorizationQuestion } from './authorize-request.js'
import { decideReadJob, type Authorizer, type Because, type Decision, type LayerName } from './authorizer.js'
import {
  LEGACY_SOURCE,
  nodeIdentitySource,
  policySource,
  serviceIdentitySource,
  type Holdings
} from './gather.js'
import type { Policies } from './policies.js'
import type { Roles } from './roles.js'
import { ruleName } from './rules/model.js'

/** Who holds the source of a rule: the token itself, one of its roles, or the defaults of its namespace. */
export interface Holder {
  readonly Kind: 'token' | 'role' | 'namespace default' | 'role of a namespace default'
  readonly ID?: string
  readonly Name?: string
}

/** Where the deciding rule comes from. */
export interface Source {
  readonly Kind: 'policy' | 'service identity' | 'node identity' | 'legacy rules'
  readonly ID?: string
  readonly Name?: string
  readonly Links: readonly Holder[]
}

/** The answer to `POST /v1/acl/explain`, but for what was asked. */
export interface Explanation {
  readonly Allowed: boolean
  /** What decided: a rule, or the configured default where no rule concerns the question. */
  readonly DecidedBy: 'rule' | 'default policy' | 'ACLs are disabled'
  /** All of it in one sentence. */
  readonly Reason: string
  readonly DefaultPolicy?: 'allow' | 'deny'
  readonly Rule?: {
    readonly Text: string
    readonly Level: string
    /** Place in the policy's text, counted from 1; absent for rules that have no text. */
    readonly Line?: number
    readonly Column?: number
  }
  readonly Source?: Source
}

/** What is asked: as the authorize endpoint does, or as the event stream asks for a whole topic. */
export interface ExplainedQuestion extends Omit<AuthorizationQuestion, 'access' | 'segment'> {
  /** `read-job` exists for namespaces (`decideReadJob`). */
  readonly access: AuthorizationQuestion['access'] | 'read-job'
  /** Null: all things of the resource, whatever their names. */
  readonly segment: string | null
}

/** Whose decision is explained. */
export interface Subject {
  readonly authorizer: Authorizer
  readonly holdings: Holdings
  /** Default policies and roles of the token's namespace. */
  readonly defaults: Pick<Holdings, 'Policies' | 'Roles'>
}

interface Names {
  readonly policies: Policies
  readonly roles: Roles
}

/** What a source is called, whatever holds it. */
const sourcesOf = (holdings: Holdings): Map<string, Omit<Source, 'Links'>> => {
  const sources = new Map<string, Omit<Source, 'Links'>>()
  for (const { ID } of holdings.Policies) sources.set(policySource(ID), { Kind: 'policy', ID })
  for (const { ServiceName: Name } of holdings.ServiceIdentities)
    sources.set(serviceIdentitySource(Name), { Kind: 'service identity', Name })
  for (const { NodeName: Name } of holdings.NodeIdentities)
    sources.set(nodeIdentitySource(Name), { Kind: 'node identity', Name })
  if (holdings.Rules !== undefined) sources.set(LEGACY_SOURCE, { Kind: 'legacy rules' })
  return sources
}

/** Everything that holds rules of a layer, with what its sources are called. */
function* holders({ holdings, defaults }: Subject, layer: LayerName, { roles }: Names) {
  const own = layer === 'token'
  const direct: Holdings = own ? holdings : { ...defaults, ServiceIdentities: [], NodeIdentities: [] }
  const kind: Holder['Kind'] = own ? 'token' : 'namespace default'
  yield { holder: { Kind: kind } satisfies Holder, sources: sourcesOf(direct) }
  for (const { ID } of direct.Roles ?? []) {
    const role = roles.get(ID)?.role
    const roleKind: Holder['Kind'] = own ? 'role' : 'role of a namespace default'
    if (role)
      yield {
        holder: { Kind: roleKind, ID, Name: role.Name } satisfies Holder,
        sources: sourcesOf(role)
      }
  }
}

const sourceOf = (subject: Subject, source: string, layer: LayerName, names: Names): Source | undefined => {
  const Links: Holder[] = []
  let found: Omit<Source, 'Links'> | undefined
  for (const { holder, sources } of holders(subject, layer, names)) {
    const known = sources.get(source)
    if (!known) continue
    found ??= known
    Links.push(holder)
  }
  if (!found) return undefined
  const Name = found.ID === undefined ? found.Name : names.policies.get(found.ID)?.policy.Name
  return { ...found, ...(Name === undefined ? {} : { Name }), Links }
}

const called = ({ Kind, Name }: Pick<Holder, 'Name'> & { readonly Kind: string }): string =>
  Name === undefined ? Kind : `${Kind} ${JSON.stringify(Name)}`

/** `acl:write`, `key:read on "app/" in namespace "team"`. */
const asked = ({ resource, access, segment, tenancy: { namespace } }: ExplainedQuestion): string => {
  const on = segment === null ? ' on everything' : segment === '' ? '' : ` on ${JSON.stringify(segment)}`
  const name = namespace === '' ? 'every namespace' : `namespace ${JSON.stringify(namespace)}`
  const where = namespace === 'default' ? '' : ` in ${name}`
  return `${resource}:${access}${on}${where}`
}

const byRule = (
  question: ExplainedQuestion,
  allowed: boolean,
  because: Extract<Because, { kind: 'rule' }>,
  source: Source | undefined
): Explanation => {
  const { rule, level } = because
  const Text = ruleName(rule)
  const place = rule.line === 0 ? {} : { Line: rule.line, Column: rule.column }
  const line = rule.line === 0 ? '' : ` in line ${rule.line}`
  const from = source ? ` of ${called(source)}, held by ${source.Links.map(called).join(' and ')}` : ''
  const verb = allowed ? 'grants' : 'does not grant'
  return {
    Allowed: allowed,
    DecidedBy: 'rule',
    Reason: `The rule ${Text}${line}${from}, has the level ${level}, which ${verb} ${asked(question)}`,
    Rule: { Text, Level: level, ...place },
    ...(source ? { Source: source } : {})
  }
}

const decisionOf = ({ authorizer }: Subject, question: ExplainedQuestion): Decision => {
  const { resource, access, segment, tenancy } = question
  if (access === 'read-job') return decideReadJob(authorizer, tenancy)
  if (segment === null) return authorizer.decideAll(resource, 'read', tenancy)
  return resource === 'namespace'
    ? authorizer.decideNamespace(access === 'write' ? 'write' : 'read', tenancy)
    : authorizer.decide(resource, access, segment, tenancy)
}

/**
 * The decision on a question by the same look-up as the authorizer's own, with its reason. Costs a decision, and a
 * look at every link of the token and its roles.
 */
export const explain = (question: ExplainedQuestion, subject: Subject, names: Names): Explanation => {
  const { allowed, because } = decisionOf(subject, question)
  switch (because.kind) {
    case 'rule':
      return byRule(question, allowed, because, sourceOf(subject, because.source, because.layer, names))
    case 'default': {
      const never = because.policy === 'allow' && !allowed ? ', which never covers the ACL system' : ''
      return {
        Allowed: allowed,
        DecidedBy: 'default policy',
        Reason: `No rule of the token concerns ${asked(question)}: the default policy is ${because.policy}${never}`,
        DefaultPolicy: because.policy
      }
    }
    case 'acls-disabled':
      return { Allowed: true, DecidedBy: 'ACLs are disabled', Reason: 'ACLs are disabled' }
  }
}
