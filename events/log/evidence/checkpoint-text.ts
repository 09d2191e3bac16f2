// The text of a checkpoint (c2sp.org/tlog-checkpoint): which log, how many leaves, and the root of the tree over them.
import type { LogIdentity } from '../segments/format.js'
import { fromBase64 } from './base64.js'
import { treeHead, type TreeHead as Head } from './note-text.js'

/** What a checkpoint tells, with its root in a buffer. */
export type TreeHead = Head<Buffer>

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
export const parseCheckpoint = (text: string): TreeHead => treeHead({ fromBase64 }, text)
