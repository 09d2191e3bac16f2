import type { Place } from '../../session/tenancy.js'
import { RequestRefused } from '../../../typescript/failures.js'
import { parseExact } from '../../session/exact-json.js'
import { send } from '../send.js'
import { bytesOf } from '../../resources/base64.js'
import { addressOfPage, textOf, type Fields, resourcePage } from '../../resources/kind.js'

/** Decodes the value of an entry, which the server omits if it is empty. */
export const valueOf = ({ Value }: Fields): Uint8Array<ArrayBuffer> =>
  bytesOf(typeof Value === 'string' ? Value : '')

/** Returns the flags for a request in JSON. Events contain flags beyond 2^53 as text. */
export const flagsOf = ({ Flags }: Fields): bigint => BigInt(textOf(Flags))

/** Returns the path of a key or of a prefix of keys in the API. */
export const kvPath = (key: string): string => `/v1/kv/${encodeURIComponent(key)}`

/** Returns the parent folder of a key or folder; empty for the root. */
export const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/', name.length - 2) + 1)

/** Returns the address of the page of a folder. */
export const folderAddress = (
  { ns }: Place,
  under: string,
  more: Readonly<Record<string, string>> = {}
): string => addressOfPage('/ui/keys', { under, ns: ns === 'default' ? '' : ns, ...more })

/** Returns the address of the page of a key. */
export const keyAddress = ({ ns, partition }: Place, key: string): string =>
  resourcePage('keys', { key, ns, partition })

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
