import type { AuthorizationQuestion } from './authorize-request.js'
import { decideReadJob, type DecisionReason, type Decision } from './authorizer.js'
import { ruleName } from './rules/model.js'
import {
  sourceOf,
  type RuleHolder,
  type Names,
  type Source,
  type Subject,
  type SubjectLinks
} from './sources.js'

/** The response to `POST /v1/acl/explain`, without the question. */
export interface Explanation {
  readonly Allowed: boolean
  /** The default policy decides if no rule concerns the question. */
  readonly DecidedBy: 'rule' | 'default policy' | 'ACLs are disabled'
  readonly Reason: string
  readonly DefaultPolicy?: 'allow' | 'deny'
  readonly Rule?: {
    readonly Text: string
    readonly Level: string
    /** Position in the policy's text, counted from 1; absent for rules without text. */
    readonly Line?: number
    readonly Column?: number
  }
  readonly Source?: Source
}

/** A question of the authorize endpoint, or of the event stream about a whole topic. */
export interface ExplainedQuestion extends Omit<AuthorizationQuestion, 'access' | 'segment'> {
  /** `read-job` exists for namespaces (`decideReadJob`). */
  readonly access: AuthorizationQuestion['access'] | 'read-job'
  /** Null: every resource of the kind, whatever its name. */
  readonly segment: string | null
}

const called = ({ Kind, Name }: Pick<RuleHolder, 'Name'> & { readonly Kind: string }): string =>
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
  because: Extract<DecisionReason, { kind: 'rule' }>,
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

export const decisionOf = (
  { authorizer }: Pick<Subject, 'authorizer'>,
  question: ExplainedQuestion
): Decision => {
  const { resource, access, segment, tenancy } = question
  if (access === 'read-job') return decideReadJob(authorizer, tenancy)
  if (segment === null) return authorizer.decideAll(resource, 'read', tenancy)
  return resource === 'namespace'
    ? authorizer.decideNamespace(access === 'write' ? 'write' : 'read', tenancy)
    : authorizer.decide(resource, access, segment, tenancy)
}

/** Explains a decision, found by the authorizer's own look-up. Costs a decision, and a look at every link of the token and its roles. */
export const explain = (question: ExplainedQuestion, subject: Subject, names: Names): Explanation =>
  explainDecision(question, decisionOf(subject, question), subject, names)

/** Explains a known decision. @param links those of the token for which it was taken */
export const explainDecision = (
  question: ExplainedQuestion,
  { allowed, because }: Decision,
  links: SubjectLinks,
  names: Names
): Explanation => {
  switch (because.kind) {
    case 'rule':
      return byRule(question, allowed, because, sourceOf(links, because.layer, because.source, names))
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
