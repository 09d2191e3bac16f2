import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import { ruleName } from '../rules/model.js'
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

const inBlock = (kind: string, name: string, rules: readonly string[]): string =>
  `${kind} ${JSON.stringify(name)} {\n${indented(rules.join('\n'))}\n}`

/** The tenancy whose policies can have the rules: that of the token if all rules are about it, else `default`. */
export const homeOf = (rules: readonly SuggestedRule[], { partition, namespace }: Tenancy): Tenancy => {
  const isOwn = rules.every(
    rule => rule.partition === partition && rule.namespace === namespace && rule.resource !== 'namespace'
  )
  return isOwn ? { partition, namespace } : { partition, namespace: 'default' }
}

/** Returns the rules as the text of a policy of a tenancy. */
export const suggestionText = (rules: readonly SuggestedRule[], home: Tenancy): string => {
  const groups = new Map<string, SuggestedRule[]>()
  for (const rule of rules) {
    const { partition, namespace, resource } = rule
    const isInBlock = resource === 'namespace' || namespace !== home.namespace
    getOrCreate(groups, JSON.stringify([partition, isInBlock ? namespace : '']), () => []).push(rule)
  }
  const texts = Array.from(groups, ([key, group]) => {
    const [partition = '', namespace = '']: readonly string[] = JSON.parse(key)
    const inside = group.map(ruleText)
    const block = namespace === '' ? inside : [inBlock('namespace', namespace, inside)]
    return partition === home.partition ? block.join('\n') : inBlock('partition', partition, block)
  })
  return texts.length === 0 ? '' : `${texts.join('\n')}\n`
}
