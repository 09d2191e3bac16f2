// Moments as indexes of commits.
import type { Run } from '../remote/command.js'
import { timeOfMoment } from '../remote/times.js'

type Read = Run['read']

/** Returns the newest index for a time that is not over yet by this clock, which may be ahead of the server's. */
export const pastMoment = async (read: Read, moment: string): Promise<string> => {
  const time = timeOfMoment(moment)
  if (time === undefined || time < Date.now()) return moment
  return String((await read('/v1/event/moment')).Newest)
}

/**
 * Returns the index of a commit: the given one, or that of the newest commit at a time.
 * @param offset added to the commit of a time
 * @throws RequestRefused for a time before the log
 */
export const indexOf = async (read: Read, moment: string, offset = 0): Promise<string> => {
  if (timeOfMoment(moment) === undefined) return moment
  const { Index } = await read('/v1/event/moment', { at: await pastMoment(read, moment) })
  return String(Index + offset)
}
