// Findings of a review that compare rights with the recorded questions of all servers.
import { MANAGEMENT_POLICY_ID } from '../../../events/policy.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import { policyRules, policySource } from '../../../projections/acl/collect-rules.js'
import type { PolicyRow } from '../../../projections/acl/policies.js'
import {
  placeFlags,
  type Finding,
  type ReviewCheck,
  type UsageFindings
} from '../../../projections/acl/review.js'
import { ruleName, type Rule } from '../../../projections/acl/rules/model.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { decideQuestion } from '../../../projections/acl/usage/decide-question.js'
import { type HeldResource, rightsOf } from '../../../projections/acl/usage/holders.js'
import type { RecordedQuestion } from '../../../projections/acl/usage/question.js'
import { commonPrefix } from '../../../projections/radix-nodes.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import type { CollectedUsage, UsageCollection } from '../../wire/collected-usage.js'
import type { RequestContext } from '../../wire/request-context.js'
import { MINUTE_MS } from '../../wire/token-use.js'
import { isSufficient } from './usage-views.js'

/** Tokens and policies whose questions are collected from the servers for one review. */
const MOST_COLLECTED = 50

/** The first half of a surrogate pair, which no rule can have as the end of its label. */
const HALF_CHARACTER = /[\ud800-\udbff]$/

/** Only writing these needs the rights of management. */
const MANAGED: ReadonlySet<string> = new Set(['acl', 'operator', 'keyring'])

const managementTokens = ({ views, now, may }: Reading): readonly TokenRow[] => {
  const { tokens, roles } = views
  const linked = [
    ...tokens.linkedTo('policy', MANAGEMENT_POLICY_ID),
    ...roles.linkedTo(MANAGEMENT_POLICY_ID).flatMap(({ role }) => tokens.linkedTo('role', role.ID))
  ]
  return [...new Set(linked)].filter(row => row.isValid(now) && may(row)).slice(0, MOST_COLLECTED)
}

interface Reading extends Pick<RequestContext, 'views' | 'now'> {
  readonly may: (row: TokenRow | PolicyRow) => boolean
}

const needsManagement = ({ resource, access, isAllowed }: RecordedQuestion): boolean =>
  isAllowed && MANAGED.has(resource) && access === 'write'

function* tokenFinding(
  { token, tenancy }: TokenRow,
  { questions }: CollectedUsage
): Steps<Finding | undefined> {
  const pace = new StepPace()
  let isUsed = false
  for (const subject of questions.subjects())
    for (const question of questions.of(subject)) {
      if (pace.isOver()) yield
      if (needsManagement(question)) return undefined
      isUsed = true
    }
  if (!isUsed) return undefined
  const id = token.AccessorID
  const [place, name] = [placeFlags(tenancy), `needed-${id.slice(0, 8)}`]
  return {
    message: 'The management token wrote nothing that acl, operator or keyring protects',
    fix: [
      `annals policy suggest -accessor-id ${id}${place} > ${name}.hcl`,
      `annals policy create -name ${name} -rules @${name}.hcl${place}`,
      `annals token update -accessor-id ${id} -policy-name ${name}${place}`
    ]
  }
}

const isWide = ({ match, label, level }: Rule): boolean =>
  match === 'prefix' && label === '' && level !== 'deny'

function* widePolicies({ views, may }: Reading): Steps<readonly PolicyRow[]> {
  const found: PolicyRow[] = []
  for (const row of views.policies.all()) {
    if (row.policy.ID === MANAGEMENT_POLICY_ID || !row.policy.Rules.includes('""') || !may(row)) continue
    yield
    const { rules, blocks } = policyRules(row.policy, row.tenancy)
    if ([rules, ...blocks.map(block => block.rules)].some(some => some.some(isWide))) found.push(row)
    if (found.length === MOST_COLLECTED) break
  }
  return found
}

/** Notes the longest prefix of all names for which a wide rule of the policy decided. */
function* widthOf(
  authorizer: Authorizer,
  questions: Iterable<RecordedQuestion>,
  source: string,
  widths: Map<string, { readonly rule: Rule; prefix: string }>
): Steps<void> {
  const pace = new StepPace()
  for (const question of questions) {
    if (pace.isOver()) yield
    const { allowed, because } = decideQuestion(authorizer, question)
    if (!allowed || because.kind !== 'rule' || because.source !== source || !isWide(because.rule)) continue
    const key = `${because.rule.line} ${ruleName(because.rule)}`
    const known = widths.get(key)
    const prefix = question.access === 'read-all' ? '' : question.segment
    if (known) known.prefix = commonPrefix([known.prefix, prefix]).replace(HALF_CHARACTER, '')
    else widths.set(key, { rule: because.rule, prefix })
  }
}

/** Returns a sed script that replaces the empty label of a rule in its text. */
const relabelling = (text: string, { line, column }: Rule, label: string): string => {
  const before = (text.split('\n')[line - 1] ?? '').slice(0, column - 1)
  const escaped = JSON.stringify(label).replaceAll(/[\\/&]/g, String.raw`\$&`)
  return `${line}s/""/${escaped.replaceAll("'", String.raw`'\''`)}/${before.split('""').length}`
}

function* policyFinding(
  { policy, tenancy }: PolicyRow,
  { questions }: CollectedUsage,
  { views }: Reading
): Steps<Finding | undefined> {
  const widths = new Map<string, { readonly rule: Rule; prefix: string }>()
  for (const subject of questions.subjects())
    yield* widthOf(rightsOf(subject, views), questions.of(subject), policySource(policy.ID), widths)
  const narrow = [...widths.values()].find(({ prefix }) => prefix !== '')
  if (!narrow) return undefined
  const { rule, prefix } = narrow
  const smaller = ruleName({ ...rule, label: prefix })
  const [place, file] = [placeFlags(tenancy), `narrow-${policy.ID.slice(0, 8)}.hcl`]
  return {
    message: `The rule ${ruleName(rule)} in line ${rule.line} was used only for names that begin with ${JSON.stringify(prefix)}: ${smaller} is enough`,
    fix: [
      `annals policy read -id ${policy.ID}${place} --json | jq -r .Rules | sed '${relabelling(policy.Rules, rule, prefix)}' > ${file}`,
      `annals policy propose -id ${policy.ID} -rules @${file}${place}`,
      `annals policy proposal -id ${policy.ID}${place}`
    ]
  }
}

/** Returns the last recorded question of each token, in epoch milliseconds. */
function* lastQuestions({ questions }: CollectedUsage): Steps<ReadonlyMap<string, number>> {
  const pace = new StepPace()
  const asked = new Map<string, number>()
  for (const subject of questions.subjects())
    for (const { last } of questions.of(subject)) {
      if (pace.isOver()) yield
      const { accessor } = subject
      if (accessor !== undefined) asked.set(accessor, Math.max(asked.get(accessor) ?? 0, last * MINUTE_MS))
    }
  return asked
}

/** Returns why some tokens and policies are in no finding. */
const warningsOf = (undecided: ReadonlySet<string>, notHeard: ReadonlySet<string>): readonly string[] => [
  ...(undecided.size > 0 ? [`too little is recorded to decide ${[...undecided].join(' and ')}`] : []),
  ...(notHeard.size > 0 ? [`no records of ${[...notHeard].join(', ')}`] : [])
]

interface UsageReview {
  readonly found: UsageFindings
  /** The last recorded question of a token, in epoch milliseconds; undefined if too little is recorded, or nothing was requested. */
  readonly lastAsked: ReadonlyMap<string, number> | undefined
  readonly warnings: readonly string[]
}

/**
 * Returns the findings of the requested checks about the tokens and policies that the caller may read, at most 50 of each. There are none where
 * too little is recorded, or a server has not answered: the warnings say so.
 */
export const reviewUsage = async (
  request: RequestContext,
  collection: UsageCollection,
  checks: readonly ReviewCheck[],
  requiredDays: number
): Promise<UsageReview> => {
  const found = new Map<string, Finding>()
  const [undecided, notHeard] = [new Set<string>(), new Set<string>()]
  const { views, now } = request
  const reading = {
    views,
    now,
    may: ({ tenancy }: TokenRow | PolicyRow) => request.may('acl', 'read', '', tenancy)
  }
  /** Undefined if too little is recorded. */
  const decide = async <Result>(
    check: ReviewCheck,
    held: Parameters<UsageCollection['of']>[1],
    resultOf: (collected: CollectedUsage) => Steps<Result>
  ): Promise<Result | undefined> => {
    const collected = await collection.of(request, held, 0)
    for (const name of collected.notHeard) notHeard.add(name)
    if (isSufficient(collected, requiredDays)) return request.runBeside(resultOf(collected))
    undecided.add(check)
    return undefined
  }
  const note = async (
    check: ReviewCheck,
    held: HeldResource,
    id: string,
    findingOf: (collected: CollectedUsage) => Steps<Finding | undefined>
  ): Promise<void> => {
    const finding = await decide(check, held, findingOf)
    if (finding) found.set(`${check} ${id}`, finding)
  }
  const lastAsked = checks.includes('unused-token')
    ? await decide('unused-token', undefined, lastQuestions)
    : undefined
  if (checks.includes('needless-management'))
    for (const row of managementTokens(reading))
      await note('needless-management', { kind: 'token', id: row.key }, row.token.AccessorID, collected =>
        tokenFinding(row, collected)
      )
  if (checks.includes('wide-rule'))
    for (const row of await request.runBeside(widePolicies(reading)))
      await note('wide-rule', { kind: 'policy', id: row.policy.ID }, row.policy.ID, collected =>
        policyFinding(row, collected, reading)
      )
  return { found, lastAsked, warnings: warningsOf(undecided, notHeard) }
}
