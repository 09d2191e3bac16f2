// Which commits of the log a command is about.
import type { Commit } from '../../events/envelope.js'

export interface Selection {
  /** The last index; undefined for the newest. */
  readonly to: number | undefined
  readonly topic: string | undefined
  readonly key: string | undefined
}

/**
 * The commits of a selection; each has only the events with the topic and key asked for, and commits with
 * none are left out. The topic is compared without regard to letter case. Reads no further than `to`.
 */
export async function* selectCommits(
  commits: AsyncIterable<Commit>,
  wanted: Selection
): AsyncGenerator<Commit> {
  const topic = wanted.topic?.toLowerCase()
  for await (const commit of commits) {
    if (wanted.to !== undefined && commit.Index > wanted.to) return
    const events = commit.Events.filter(
      event =>
        (topic === undefined || event.Topic.toLowerCase() === topic) &&
        (wanted.key === undefined || event.Key === wanted.key)
    )
    if (events.length > 0 || (topic === undefined && wanted.key === undefined))
      yield { ...commit, Events: events }
  }
}
