// Answers that were kept with other commits than those of the thing that is erased, and tell of it: a transaction may have read it.
import type { PayloadErasure } from '../../events/erasure.js'
import type { Erasing } from '../../events/erasing.js'
import { CommitsGone, type EventLog } from '../../events/log/log.js'
import type { KeptAnswers } from '../../projections/kept-answers.js'

/** The kept answers that name something that an order is about. Costs a look at each answer that is kept. */
export async function* answersAbout(
  log: EventLog,
  kept: KeptAnswers,
  { Key, Prefix = '', UpTo }: PayloadErasure
): AsyncGenerator<Erasing> {
  const isName = (text: string): boolean => (Key === undefined ? text.startsWith(Prefix) : text === Key)
  for (const index of kept.oldest(UpTo, Infinity)) {
    const text = await textAt(log, index)
    if (text !== undefined && hasText(parsed(text), isName)) yield { index, answer: true }
  }
}

/** Undefined when it is gone. */
const textAt = async (log: EventLog, index: number): Promise<string | undefined> => {
  try {
    return (await log.answerAt(index))?.Text
  } catch (error) {
    if (error instanceof CommitsGone) return undefined
    throw error
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const hasText = (value: unknown, isWanted: (text: string) => boolean): boolean => {
  if (typeof value === 'string') return isWanted(value)
  return (
    typeof value === 'object' && value !== null && Object.values(value).some(each => hasText(each, isWanted))
  )
}
