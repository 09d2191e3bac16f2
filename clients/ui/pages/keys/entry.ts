// A key as the server shows it, and what of it stands in a list.
import type { Query } from '../../../typescript/connection.js'
import { bytesOf } from '../../resources/base64.js'
import { textOf, type Fields } from '../../resources/kind.js'
import { previewOf } from './values/content-types.js'

/** The fields of a key that the page uses. */
export interface KeyRow {
  readonly name: string
  /** Beginning of the value, in one line. */
  readonly preview: string
  /** Bytes of the value. */
  readonly size: number
  /** In digits: they have up to 64 bits. */
  readonly flags: string
  /** ID of the session that holds it as a lock; empty for none. */
  readonly session: string
  readonly lockIndex: number
  /** Index of its last change. */
  readonly index: number
}

/** The value of an entry, which the server writes in Base64 and leaves out where it is empty. */
export const valueOf = ({ Value }: Fields): Uint8Array<ArrayBuffer> =>
  bytesOf(typeof Value === 'string' ? Value : '')

/** Its flags as they are sent in JSON. Events have those beyond 2^53 as text. */
export const flagsOf = ({ Flags }: Fields): bigint => BigInt(textOf(Flags))

/** @param entry as a read or an event shows it */
export const keyRowOf = (entry: Fields): KeyRow => {
  const bytes = valueOf(entry)
  return {
    name: textOf(entry['Key']),
    preview: previewOf(bytes),
    size: bytes.length,
    flags: textOf(entry['Flags']),
    session: textOf(entry['Session']),
    lockIndex: Number(entry['LockIndex']),
    index: Number(entry['ModifyIndex'])
  }
}

/** Where a key is, and how it is asked for. */
export interface KeySpace {
  readonly ns: string
  readonly partition: string
}

/** The path of a key, or of a beginning of keys, in the API. */
export const kvPath = (key: string): string => `/v1/kv/${encodeURIComponent(key)}`

/** The folder that a key or folder is in; empty for the top. */
export const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/', name.length - 2) + 1)

/** The page of a folder. */
export const folderAddress = (
  { ns }: KeySpace,
  under: string,
  more: Readonly<Record<string, string>> = {}
): string => {
  const query = new URLSearchParams({
    ...(under === '' ? {} : { under }),
    ...(ns === 'default' ? {} : { ns }),
    ...more
  }).toString()
  return query === '' ? '/ui/keys' : `/ui/keys?${query}`
}

/** The page of a key. */
export const keyAddress = ({ ns, partition }: KeySpace, key: string): string =>
  `/ui/keys/one?${new URLSearchParams({ key, ns, partition })}`

/** Returns the tenancy in a query of the history. */
export const keySpaceOf = ({ ns, partition }: Query): KeySpace => ({
  ns: typeof ns === 'string' ? ns : 'default',
  partition: typeof partition === 'string' ? partition : 'default'
})
