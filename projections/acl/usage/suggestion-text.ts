import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import { ruleName, type Scope, type ScopeName } from '../rules/model.js'
import { scopeKey } from './scope.js'
import type { SuggestedRule } from './suggest-rules.js'

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')

/** The rule with the names that it is for, as comments. */
const ruleText = (rule: SuggestedRule): string => {
  const { resource, level, intentions, examples } = rule
  const comments = examples.filter(name => name !== rule.label).map(name => `# ${JSON.stringify(name)}\n`)
  const name = ruleName(rule)
  if (resource === 'namespace') return `policy = "${level}"`
  if (resource === 'acl' || resource === 'keyring' || resource === 'operator') return `${name} = "${level}"`
  const derived = level === 'deny' ? 'deny' : 'read'
  const ofIntentions = intentions === null || intentions === derived ? '' : `  intentions = "${intentions}"\n`
  return `${comments.join('')}${name} {\n  policy = "${level}"\n${ofIntentions}}`
}

const inBlock = (kind: string, { match, label }: ScopeName, rules: readonly string[]): string =>
  `${kind}${match === 'prefix' ? '_prefix' : ''} ${JSON.stringify(label)} {\n${indented(rules.join('\n'))}\n}`

const isOnly = ({ match, label }: ScopeName, name: string): boolean => match === 'exact' && label === name

/** The tenancy whose policies can have the rules: that of the token if all rules are about it, else `default`. */
export const homeOf = (rules: readonly SuggestedRule[], home: Tenancy): Tenancy => {
  const isOwn = rules.every(
    ({ partition, namespace, resource }) =>
      isOnly(partition, home.partition) && isOnly(namespace, home.namespace) && resource !== 'namespace'
  )
  return isOwn ? home : { ...home, namespace: 'default' }
}

/** Returns the rules as the text of a policy of a tenancy. */
export const suggestionText = (rules: readonly SuggestedRule[], home: Tenancy): string => {
  const groups = new Map<
    string,
    { readonly scope: Scope; readonly isPlain: boolean; readonly texts: string[] }
  >()
  for (const rule of rules) {
    const isPlain = rule.resource !== 'namespace' && isOnly(rule.namespace, home.namespace)
    const group = getOrCreate(groups, `${scopeKey(rule)} ${isPlain}`, () => ({
      scope: rule,
      isPlain,
      texts: []
    }))
    group.texts.push(ruleText(rule))
  }
  const blocks = Array.from(groups.values(), ({ scope: { partition, namespace }, isPlain, texts }) => {
    const block = isPlain ? texts : [inBlock('namespace', namespace, texts)]
    return isOnly(partition, home.partition) ? block.join('\n') : inBlock('partition', partition, block)
  })
  return blocks.length === 0 ? '' : `${blocks.join('\n')}\n`
}
