// The versions of a thing: a page of them, and the one before it.
import type { Commit, Event } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import { tellsOf, type Thing } from '../../projections/past/thing.js'
import type { HistoryWish } from './parameters.js'

/** What an event made of a thing. */
export interface Version {
  readonly commit: Commit
  readonly event: Event
}

/** Some versions, the newest first. */
export interface VersionPage {
  readonly versions: readonly Version[]
  /** The one before the oldest of them; undefined where none is kept. */
  readonly before: Version | undefined
  /** Whether there are newer ones than these. */
  readonly hasNewer: boolean
}

type Histories = Pick<EventLog, 'history' | 'newestFirst'>

/** The versions that a commit made, the newest first. */
const versionsIn = (commit: Commit, thing: Thing): readonly Version[] =>
  commit.Events.filter(event => tellsOf(event, thing))
    .map(event => ({ commit, event }))
    .toReversed()

/** The newest version with an index of at most `from`; undefined when there is none. */
export const newestVersion = async (
  log: Histories,
  thing: Thing,
  from?: number
): Promise<Version | undefined> => {
  for await (const commit of log.newestFirst(thing, from)) {
    const [version] = versionsIn(commit, thing)
    if (version) return version
  }
  return undefined
}

/** Costs the versions of the page, and one more. */
export const versionPage = async (
  log: Histories,
  thing: Thing,
  { limit, before = Infinity, after }: HistoryWish
): Promise<VersionPage> => {
  const versions: Version[] = []
  if (after !== undefined) {
    const { topic, partition, namespace, key } = thing
    let hasNewer = false
    for await (const commit of log.history(topic, partition, namespace, key, after + 1)) {
      hasNewer = versions.length >= limit
      if (hasNewer) break
      versions.unshift(...versionsIn(commit, thing))
    }
    return { versions, before: await newestVersion(log, thing, after), hasNewer }
  }
  let older: Version | undefined
  for await (const commit of log.newestFirst(thing, before - 1)) {
    const found = versionsIn(commit, thing)
    older = versions.length >= limit ? found[0] : undefined
    if (older) break
    versions.push(...found)
  }
  const newest = before === Infinity ? undefined : await newestVersion(log, thing)
  return {
    versions,
    before: older,
    hasNewer: newest !== undefined && newest.commit.Index >= before
  }
}
