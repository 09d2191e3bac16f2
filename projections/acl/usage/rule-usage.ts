// Derives the use of rules from the recorded questions of tokens.
import { StepPace, type Steps } from '../../steps.js'
import type { Authorizer } from '../authorizer.js'
import { decideQuestion } from './decide-question.js'
import type { RecordedQuestion, UsageSubject } from './question.js'
import {
  mayBeBelow,
  mayDecide,
  overlapOf,
  placedRules,
  ruleKey,
  withoutRule,
  type PlacedRule
} from './rule-removal.js'
import type { SourcedRule } from '../merge.js'
import type { CountedTimes } from './day-counts.js'

/** The questions of one token, and the current rules that decide them. */
export interface SubjectQuestions {
  readonly subject: UsageSubject
  readonly authorizer: Authorizer
  readonly questions: readonly RecordedQuestion[]
}

export interface RuleUse {
  readonly placed: PlacedRule
  /** Undefined if it decided no recorded question. */
  readonly use: CountedTimes | undefined
  /** The subjects whose questions it decided, those with most first. */
  readonly users: readonly (CountedTimes & { readonly subject: UsageSubject })[]
  /** True if some recorded answer would, or may, be different without the rule. */
  readonly isNeeded: boolean
  /** The rule that decides everything as this one does, for all subjects. */
  readonly overlap: SourcedRule | undefined
}

const added = (use: CountedTimes | undefined, { count, first, last }: RecordedQuestion): CountedTimes =>
  use
    ? { count: use.count + count, first: Math.min(use.first, first), last: Math.max(use.last, last) }
    : { count, first, last }

interface FoundRule {
  readonly placed: PlacedRule
  readonly byUser: Map<UsageSubject, CountedTimes>
  readonly holders: SubjectQuestions[]
}

/** Finds the rules that pass a test, and those that decide each question. */
function* collect(
  subjects: readonly SubjectQuestions[],
  isAsked: (rule: SourcedRule) => boolean
): Steps<ReadonlyMap<string, FoundRule>> {
  const pace = new StepPace()
  const found = new Map<string, FoundRule>()
  for (const holder of subjects) {
    for (const placed of placedRules(holder.authorizer).filter(isAsked)) {
      const key = ruleKey(placed)
      const known = found.get(key)
      if (known) known.holders.push(holder)
      else found.set(key, { placed, byUser: new Map(), holders: [holder] })
      if (pace.isOver()) yield
    }
    for (const question of holder.questions) {
      const { because } = decideQuestion(holder.authorizer, question)
      if (pace.isOver()) yield
      const rule = because.kind === 'rule' ? found.get(ruleKey(because)) : undefined
      rule?.byUser.set(holder.subject, added(rule.byUser.get(holder.subject), question))
    }
  }
  return found
}

/** True if a recorded answer of a holder is, or may be, another one without the rule. */
function* isNeededBy({ placed }: FoundRule, { authorizer, questions }: SubjectQuestions): Steps<boolean> {
  const pace = new StepPace()
  let without: Authorizer | undefined
  for (const question of questions) {
    if (pace.isOver()) yield
    if (!mayDecide(placed.rule, question)) continue
    if (mayBeBelow(placed.rule, question)) return true
    without ??= withoutRule(authorizer, placed)
    if (decideQuestion(authorizer, question).allowed !== decideQuestion(without, question).allowed)
      return true
  }
  return false
}

function* overlapFor({ placed, holders }: FoundRule): Steps<SourcedRule | undefined> {
  let overlap: SourcedRule | undefined
  for (const authorizer of new Set(holders.map(holder => holder.authorizer))) {
    overlap = overlapOf(placed, authorizer)
    if (!overlap) return undefined
    yield
  }
  return overlap
}

/**
 * Returns the use of the rules that pass a test, in the order of the subjects' rules. Cost: a decision for each question, and for each rule one for
 * each question that it may decide.
 */
export function* ruleUses(
  subjects: readonly SubjectQuestions[],
  isAsked: (rule: SourcedRule) => boolean
): Steps<readonly RuleUse[]> {
  const uses: RuleUse[] = []
  for (const rule of (yield* collect(subjects, isAsked)).values()) {
    let isNeeded = false
    for (const holder of rule.holders) if ((isNeeded ||= yield* isNeededBy(rule, holder))) break
    const users = Array.from(rule.byUser, ([subject, use]) => ({ subject, ...use }))
    const total = users.reduce<CountedTimes | undefined>(
      (sum, use) => ({
        count: (sum?.count ?? 0) + use.count,
        first: Math.min(sum?.first ?? use.first, use.first),
        last: Math.max(sum?.last ?? use.last, use.last)
      }),
      undefined
    )
    uses.push({
      placed: rule.placed,
      use: total,
      users: users.toSorted((a, b) => b.count - a.count),
      isNeeded,
      overlap: yield* overlapFor(rule)
    })
    yield
  }
  return uses
}

/** True if the subjects' recorded answers are the same with other rights. @param after undefined for unchanged rights */
export function* answersHold(
  subjects: readonly SubjectQuestions[],
  after: (subject: SubjectQuestions) => Authorizer
): Steps<boolean> {
  const pace = new StepPace()
  for (const holder of subjects) {
    const next = after(holder)
    for (const question of holder.questions) {
      if (pace.isOver()) yield
      if (decideQuestion(holder.authorizer, question).allowed !== decideQuestion(next, question).allowed)
        return false
    }
  }
  return true
}
