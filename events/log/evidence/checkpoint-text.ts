// The text of a checkpoint (c2sp.org/tlog-checkpoint): which log, how many leaves, and the root of the tree over them.
import type { LogIdentity } from '../segments/format.js'
import { hashFromBase64 } from './base64.js'
import { MalformedNote } from './note-keys.js'

/** What a checkpoint tells; RFC 9162 calls it a tree head. */
export interface TreeHead {
  /** Which log: `originOf` it, and the name of the key that signs. */
  readonly origin: string
  /** The number of leaves, which is the index of the newest commit in it. */
  readonly size: number
  /** 32 bytes. */
  readonly root: Buffer
  /** Further lines, which are signed and otherwise without meaning. */
  readonly extensions?: readonly string[]
}

/** The name under which a log signs: its ID and incarnation, so that one name never stands for two trees. */
export const originOf = ({ id, incarnation }: Pick<LogIdentity, 'id' | 'incarnation'>): string =>
  `annals/${id}/${incarnation}`

/** The log that an origin names; undefined when it names none of ours. */
export function identityOf(
  origin: string
): { readonly id: string; readonly incarnation: number } | undefined {
  const [, id, incarnation] = /^annals\/([^/]+)\/([1-9]\d*)$/u.exec(origin) ?? []
  return id === undefined ? undefined : { id, incarnation: Number(incarnation) }
}

/** The text that is signed. */
export const checkpointText = ({ origin, size, root, extensions = [] }: TreeHead): string =>
  [origin, size, root.toString('base64'), ...extensions].map(line => `${line}\n`).join('')

/** What the text of a checkpoint tells. @throws MalformedNote telling what is wrong with it */
export function parseCheckpoint(text: string): TreeHead {
  const [origin = '', digits = '', encoded = '', ...rest] = text.split('\n')
  const extensions = rest.slice(0, -1)
  if (origin === '' || rest.at(-1) !== '' || extensions.includes(''))
    throw new MalformedNote('a checkpoint has three lines or more, and none of them is empty')
  const size = Number(digits)
  if (!/^(0|[1-9]\d*)$/u.test(digits) || !Number.isSafeInteger(size))
    throw new MalformedNote(`${JSON.stringify(digits)} is no size of a tree`)
  const root = hashFromBase64(encoded)
  if (!root) throw new MalformedNote(`${JSON.stringify(encoded)} is no SHA-256 hash in Base64`)
  return { origin, size, root, extensions }
}
