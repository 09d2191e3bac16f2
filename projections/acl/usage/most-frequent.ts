import { StepPace, type Steps } from '../../steps.js'
import type { RecordedQuestion } from './question.js'
import type { SubjectQuestions } from './rule-usage.js'

interface FrequentQuestions {
  readonly questions: readonly RecordedQuestion[]
  /** Number of further ones. */
  readonly omitted: number
}

/** Sums the questions of all tokens, and returns the most frequent ones first. */
export function* mostFrequent(subjects: readonly SubjectQuestions[], most: number): Steps<FrequentQuestions> {
  const pace = new StepPace()
  const sums = new Map<string, RecordedQuestion>()
  for (const { questions } of subjects)
    for (const { count, first, last, ...of } of questions) {
      const key = JSON.stringify(of)
      const sum = sums.get(key)
      sums.set(key, {
        ...of,
        count: count + (sum?.count ?? 0),
        first: Math.min(first, sum?.first ?? first),
        last: Math.max(last, sum?.last ?? last)
      })
      if (pace.isOver()) yield
    }
  let frequent: RecordedQuestion[] = []
  const cut = (): void => {
    frequent = frequent.toSorted((a, b) => b.count - a.count).slice(0, most)
  }
  for (const question of sums.values()) {
    frequent.push(question)
    if (frequent.length < 2 * most) continue
    cut()
    yield
  }
  cut()
  return { questions: frequent, omitted: sums.size - frequent.length }
}
