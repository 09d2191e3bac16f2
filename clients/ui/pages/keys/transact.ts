import type { Place } from '../../session/tenancy.js'
import { RequestRefused } from '../../../typescript/failures.js'
import { parseExact } from '../../session/exact-json.js'
import { send } from '../send.js'

interface Failed {
  readonly Errors?: readonly { readonly What: string }[] | null
}

/** Returns the server's messages. A failed transaction returns one per operation, as JSON. */
const faultsOf = (error: RequestRefused): string => {
  if (error.status !== 409 || !error.text.startsWith('{')) return error.message
  const { Errors }: Failed = parseExact(error.text)
  return (Errors ?? []).map(({ What }) => What).join('; ')
}

/** @param operations on keys, without their namespace @throws Error with the message of the server */
export const transact = async (
  { ns, partition }: Place,
  operations: readonly object[],
  reason: string
): Promise<void> => {
  const body = operations.map(operation => ({ KV: { ...operation, Namespace: ns } }))
  try {
    await send('PUT', '/v1/txn', { query: { partition }, body, reason })
  } catch (error) {
    if (error instanceof RequestRefused) throw new Error(faultsOf(error), { cause: error })
    throw error
  }
}
