// How a line of the stream begins: its index, and where it was asked for who made the commit and when.
import type { Commit } from '../../events/envelope.js'

/**
 * A line up to its events.
 * @param origin where the commit came from, if the line is to tell
 */
export const lineHead = (index: number, origin: Pick<Commit, 'Time' | 'By'> | undefined): string => {
  if (!origin) return `{"Index":${index},"Events":[`
  const { AccessorID, RequestID, Command, Address, Reason, Cause } = origin.By
  const meta = JSON.stringify({ Time: origin.Time, AccessorID, RequestID, Command, Address, Reason, Cause })
  return `{"Index":${index},"Meta":${meta},"Events":[`
}
