// Moments as indexes of commits.
import type { Run } from '../remote/command.js'
import { timeOfMoment } from '../remote/times.js'

/**
 * Returns the index of a commit: the given one, or that of the newest commit at a time.
 * @param offset added to the commit of a time
 * @throws RequestRefused for a time before the log
 */
export const indexOf = async (read: Run['read'], moment: string, offset = 0): Promise<string> => {
  if (timeOfMoment(moment) === undefined) return moment
  const { Index } = await read('/v1/event/moment', { at: moment })
  return String(Index + offset)
}
