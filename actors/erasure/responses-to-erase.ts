// Finds stored responses of other commits that contain the erased resource, since a transaction may have read
// it.
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { PayloadErasure } from '../../events/erasure.js'
import type { CommitErasure } from '../../events/commit-erasure.js'
import { CommitsPruned, type EventLog } from '../../events/log/log.js'
import type { IdempotentResponses } from '../../projections/idempotent-responses.js'

/** Returns the responses that name the resource in its namespace. Reads item stored response. */
export async function* responsesAbout(
  log: EventLog,
  responses: IdempotentResponses,
  erasure: PayloadErasure
): AsyncGenerator<CommitErasure> {
  for (const index of responses.oldest(erasure.UpTo, Infinity)) {
    const text = await textAt(log, index)
    if (text !== undefined && names(parsed(text), erasure, DEFAULT_TENANCY)) yield { index, answer: true }
  }
}

/** Undefined for a pruned response. */
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

/**
 * Searches a value for the key, within objects of the namespace. Objects name a tenancy other than `default`.
 */
const names = (value: unknown, erasure: PayloadErasure, outer: Tenancy): boolean => {
  const { Namespace, Partition, Key, Prefix = '' } = erasure
  if (typeof value === 'string') {
    const isKey = Key === undefined ? value.startsWith(Prefix) : value === Key
    // Any response may name a resource without a namespace.
    const isInTenancy = Namespace === '' || (outer.namespace === Namespace && outer.partition === Partition)
    return isKey && isInTenancy
  }
  if (typeof value !== 'object' || value === null) return false
  const { namespace, partition } = outer
  const own = {
    namespace: textOf(value, 'Namespace') ?? namespace,
    partition: textOf(value, 'Partition') ?? partition
  }
  return Object.values(value).some(item => names(item, erasure, own))
}

const textOf = (value: object, field: 'Namespace' | 'Partition'): string | undefined => {
  const text: unknown = Reflect.get(value, field)
  return typeof text === 'string' && text !== '' ? text : undefined
}
