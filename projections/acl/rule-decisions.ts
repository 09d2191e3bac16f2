// Decisions by the rules of a text alone, without tokens.
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { checkAuthorization, type AuthorizationElement } from './authorize-request.js'
import { compileAuthorizer, type Decision, type DefaultPolicy } from './authorizer.js'
import { ruleName, type RuleWarning } from './rules/model.js'
import { examineRules } from './rules/examine-rules.js'

interface RuleDecision {
  readonly isAllowed: boolean
  /** The deciding rule with its level and line, or `default policy`. */
  readonly by: string
}

interface RuleDecisions {
  /** The first error of the text, which then has no decisions. */
  readonly error: string | undefined
  /** @throws AuthorizeRequestError */
  readonly decide: (question: AuthorizationElement) => RuleDecision
}

const deciderOf = ({ because }: Decision): string => {
  if (because.kind !== 'rule') return 'default policy'
  const { rule, level } = because
  return `${ruleName(rule)} ${level}${rule.line === 0 ? '' : `, line ${rule.line}`}`
}

/** Returns the decisions of a token that has this policy only. @param namespace of the policy and the questions */
export const decisionsOf = (
  text: string,
  {
    namespace = DEFAULT_TENANCY.namespace,
    defaultPolicy
  }: { readonly namespace?: string | undefined; readonly defaultPolicy: DefaultPolicy }
): RuleDecisions => {
  const tenancy = { ...DEFAULT_TENANCY, namespace }
  const { rules, errors } = examineRules(text, tenancy)
  const authorizer = compileAuthorizer([{ rules, tenancy }], defaultPolicy)
  return {
    error: errors[0]?.message,
    decide: element => {
      const question = { ...element, Namespace: namespace }
      const {
        resource,
        access,
        segment,
        tenancy: where
      } = checkAuthorization(question, { ofNamespaces: true })
      const decision =
        resource === 'namespace'
          ? authorizer.decideNamespace(access === 'write' ? 'write' : 'read', where)
          : authorizer.decide(resource, access, segment, where)
      return { isAllowed: decision.allowed, by: deciderOf(decision) }
    }
  }
}

/** Returns the parts of a text that have no effect, such as misspelt resources. */
export const ruleWarnings = (text: string): readonly RuleWarning[] => examineRules(text).rules.warnings
