// How a line of the stream begins: its index, and where it was asked for who made the commit, when and why.
import type { Commit } from '../../events/envelope.js'

/** Where a commit came from. */
export type CommitOrigin = Pick<Commit, 'Time' | 'By'>

/** `plain`: no word of it. `meta`: as the stream tells it. `audit`: as the log has it. */
export type LineFormat = 'plain' | 'meta' | 'audit'

const metaOf = ({ Time, By }: CommitOrigin): string => {
  const { AccessorID, RequestID, Command, Address, Reason, Cause, Erased } = By
  const meta = { Time, AccessorID, RequestID, Command, Address, Reason, Cause, Erased }
  return `"Meta":${JSON.stringify(meta)},`
}

const wholeOrigin = ({ Time, By }: CommitOrigin): string =>
  `"Time":${JSON.stringify(Time)},"By":${JSON.stringify(By)},`

/** A line up to its events. @param origin asked for where the form tells of it */
export const lineHead = (index: number, origin: () => CommitOrigin, form: LineFormat): string => {
  const told = form === 'plain' ? '' : form === 'meta' ? metaOf(origin()) : wholeOrigin(origin())
  return `{"Index":${index},${told}"Events":[`
}
