import { LABELLED, type Rule, type RuleSet, type Resource } from './model.js'

interface Question {
  readonly resource: Resource
  readonly access: string
  readonly segment: string
}

/** Returns a test for rules that can decide a question. Everything else in a rule set is without effect on it. */
const relevance = ({ resource, access, segment }: Question): ((rule: Rule) => boolean) => {
  // Any rule of a namespace lets its token read the namespace.
  if (resource === 'namespace') return () => true
  const kind = resource === 'intention' ? 'service' : resource
  const hasNames = LABELLED.some(one => one === kind) && !(resource === 'intention' && segment === '*')
  return ({ resource: own, match, label }) => {
    if (own !== kind || !hasNames || label === segment) return own === kind
    return (
      (match === 'prefix' && segment.startsWith(label)) ||
      (access === 'write-prefix' && label.startsWith(segment))
    )
  }
}

/** Returns the rules of a set that can decide a question, so that it has the same decision with few rules. */
export const relevantRules = ({ rules, blocks, warnings }: RuleSet, question: Question): RuleSet => {
  const isRelevant = relevance(question)
  return {
    rules: rules.filter(isRelevant),
    blocks: blocks
      .map(block => ({ ...block, rules: block.rules.filter(isRelevant) }))
      .filter(block => block.rules.length > 0),
    warnings
  }
}
