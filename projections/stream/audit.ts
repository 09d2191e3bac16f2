// What an audit tells of a commit: who made it, when and why, and what it was about.
import type { Event } from '../../events/envelope.js'
import { lineHead } from './meta.js'
import type { StreamCommit } from './line.js'

/** What an audit asks for besides what a stream may. */
export interface Audit {
  /** Only commits of the token with this AccessorID. */
  readonly accessor?: string
  /** Whether events have their payloads, as the stream shows them. */
  readonly payload: boolean
  /** Whether the last line tells how many events were withheld (decisions.md 53). */
  readonly countsWithheld?: boolean
}

/** Whether a commit is one that was asked for, whatever its events are. */
export const isAudited = ({ accessor }: Audit, { origin }: Pick<StreamCommit, 'origin'>): boolean =>
  accessor === undefined || origin.By.AccessorID === accessor

const headOf = ({ Topic, Type, Key, Namespace, Partition, FilterKeys, Erased }: Event): object =>
  Partition === 'default'
    ? { Topic, Type, Key, Namespace, FilterKeys, Erased }
    : { Topic, Type, Key, Namespace, Partition, FilterKeys, Erased }

/** The line of a commit with some of its events, without payloads unless they are asked for; undefined for no events. */
export const auditLine = (
  { payload }: Audit,
  line: StreamCommit,
  events: readonly Event[]
): Buffer | undefined => {
  if (payload) return line.part(events, 'audit')
  if (events.length === 0) return undefined
  const heads = events.map(event => JSON.stringify(headOf(event)))
  return Buffer.from(`${lineHead(line.index, () => line.origin, 'audit')}${heads.join(',')}]}\n`)
}
