// Answers that were kept with other commits than those of the thing that is erased, and tell of it: a transaction may have read it.
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { PayloadErasure } from '../../events/erasure.js'
import type { CommitErasure } from '../../events/commit-erasure.js'
import { CommitsPruned, type EventLog } from '../../events/log/log.js'
import type { IdempotentResponses } from '../../projections/idempotent-responses.js'

/** The kept answers that name what an order is about, in its namespace. Costs a look at each answer that is kept. */
export async function* responsesAbout(
  log: EventLog,
  kept: IdempotentResponses,
  erasure: PayloadErasure
): AsyncGenerator<CommitErasure> {
  for (const index of kept.oldest(erasure.UpTo, Infinity)) {
    const text = await textAt(log, index)
    if (text !== undefined && names(parsed(text), erasure, DEFAULT_TENANCY)) yield { index, answer: true }
  }
}

/** Undefined when it is gone. */
const textAt = async (log: EventLog, index: number): Promise<string | undefined> => {
  try {
    return (await log.idempotentResponseAt(index))?.Text
  } catch (error) {
    if (error instanceof CommitsPruned) return undefined
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

/** Whether a text of a value is the key, within an object of the namespace. Objects name a tenancy that is not `default`. */
const names = (value: unknown, erasure: PayloadErasure, around: Tenancy): boolean => {
  const { Namespace, Partition, Key, Prefix = '' } = erasure
  if (typeof value === 'string') {
    const isKey = Key === undefined ? value.startsWith(Prefix) : value === Key
    // What has no namespace may be named in answers about any.
    const isThere = Namespace === '' || (around.namespace === Namespace && around.partition === Partition)
    return isKey && isThere
  }
  if (typeof value !== 'object' || value === null) return false
  const { namespace, partition } = around
  const own = {
    namespace: textOf(value, 'Namespace') ?? namespace,
    partition: textOf(value, 'Partition') ?? partition
  }
  return Object.values(value).some(each => names(each, erasure, own))
}

const textOf = (value: object, field: 'Namespace' | 'Partition'): string | undefined => {
  const text: unknown = Reflect.get(value, field)
  return typeof text === 'string' && text !== '' ? text : undefined
}
