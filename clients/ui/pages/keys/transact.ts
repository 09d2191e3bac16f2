// Several changes of keys at once, all of them or none.
import { RequestRefused } from '../../../typescript/failures.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { parseExact } from '../../session/exact-json.js'
import type { KeySpace } from './entry.js'

interface Failed {
  readonly Errors?: readonly { readonly What: string }[] | null
}

/** What was wrong, in the words of the server. A transaction that fails says so of each operation, as JSON. */
const faultsOf = (error: RequestRefused): string => {
  if (error.status !== 409 || !error.text.startsWith('{')) return error.message
  const { Errors }: Failed = parseExact(error.text)
  return (Errors ?? []).map(({ What }) => What).join('; ')
}

/** @param operations on keys, without their namespace @throws Error in the words of the server */
export const transact = async (
  { ns, partition }: KeySpace,
  operations: readonly object[],
  reason: string
): Promise<void> => {
  const body = operations.map(operation => ({ KV: { ...operation, Namespace: ns } }))
  try {
    await client.value.connection.request('PUT', '/v1/txn', {
      query: { partition },
      body,
      headers: reasonHeaders(reason)
    })
  } catch (error) {
    if (error instanceof RequestRefused) throw new Error(faultsOf(error), { cause: error })
    throw error
  }
}
