// The answers that recorded questions would get after a change.
import type { Authorizer, ScopedRules } from '../authorizer.js'
import type { Resource } from '../rules/model.js'
import { decideQuestion } from '../usage/decide-question.js'
import type { Question, RecordedQuestion } from '../usage/question.js'
import type { AskedQuestion } from './compared-change.js'
import { matches } from './compared-rules.js'
import type { RightsDifference } from './rights-differences.js'

/** `unknown`: some of the collapsed names would keep their answer, or which names were asked about is not known. */
type RecordedAnswer = 'kept' | 'allowed' | 'denied' | 'unknown'

const isBelow = (label: string, prefix: string): boolean =>
  label.length > prefix.length && label.startsWith(prefix)

/** Returns true if a rule tells names below the prefix apart. */
const dividesNames = ({ rules }: Authorizer, resource: Resource, prefix: string): boolean => {
  if (rules === 'everything') return false
  const kind = resource === 'intention' ? 'service' : resource
  const divides = ({ rules: { rules: plain, blocks } }: ScopedRules): boolean =>
    [plain, ...blocks.map(block => block.rules)].some(some =>
      some.some(rule => rule.resource === kind && isBelow(rule.label, prefix))
    )
  return rules.own.some(divides) || rules.namespaceDefaults.some(divides)
}

const differsBelow = (
  { resource, access, segment: prefix, partition, namespace }: Question,
  rights: readonly RightsDifference[]
): boolean =>
  rights.some(
    ({ segment, gained, lost, ...of }) =>
      of.resource === resource &&
      segment !== null &&
      isBelow(segment.label, prefix) &&
      (gained.includes(access) || lost.includes(access)) &&
      matches(of.partition, partition) &&
      matches(of.namespace, namespace)
  )

/** @param rights all differences of the two authorizers */
export const recordedAnswer = (
  question: RecordedQuestion,
  before: Authorizer,
  after: Authorizer,
  rights: readonly RightsDifference[]
): RecordedAnswer => {
  const { resource, segment, extent } = question
  const isAllowed = decideQuestion(after, question).allowed
  const isChanged = decideQuestion(before, question).allowed !== isAllowed
  const answer = isAllowed ? 'allowed' : 'denied'
  if (extent === 'one') return isChanged ? answer : 'kept'
  if (!isChanged) return differsBelow(question, rights) ? 'unknown' : 'kept'
  return [before, after].some(one => dividesNames(one, resource, segment)) ? 'unknown' : answer
}

/** A recorded question of a token with its answer after a change. */
export interface ChangedQuestion extends AskedQuestion {
  readonly answer: Exclude<RecordedAnswer, 'kept'>
}

/** The recorded questions of tokens by their answers after a change. */
export interface RecordedImpact {
  readonly counts: Readonly<Record<RecordedAnswer, number>>
  /** The first ones. */
  readonly changed: readonly ChangedQuestion[]
}

/** Changed questions that are named. */
const MOST_NAMED = 200

export class AnswerCounts implements RecordedImpact {
  readonly counts: Record<RecordedAnswer, number> = { kept: 0, allowed: 0, denied: 0, unknown: 0 }
  readonly changed: ChangedQuestion[] = []

  add(asked: AskedQuestion, answer: RecordedAnswer): void {
    this.counts[answer]++
    if (answer !== 'kept' && this.changed.length < MOST_NAMED) this.changed.push({ answer, ...asked })
  }
}
