// A page of the versions of a resource, and the version before it.
import type { Commit } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import {
  concerns,
  type HistoryTarget,
  type ResourceVersion
} from '../../projections/history/history-target.js'
import type { BaseSnapshotResources } from './base-snapshot-resources.js'
import { invalid } from '../../actors/refusal.js'
import { firstValueOf, flag, integer } from '../stream/parameter-values.js'
import { present, unsigned64, type Query } from '../wire/query.js'

const USUAL = 10
const MOST = 1000

/** Which versions are asked for. */
interface HistoryRequest {
  /** Versions of a page; those of one commit stay together. */
  readonly limit: number
  /** Only those before this index. */
  readonly before: number | undefined
  /** Only those behind this index, the oldest of them. */
  readonly after: number | undefined
  /** Whether each one tells its whole payload. */
  readonly payload: boolean
}

/** Its parameters, for the description of the API. */
export const HISTORY_QUERY = {
  limit: unsigned64(`How many versions a page has; ${USUAL} unless given, at most ${MOST}`),
  before: unsigned64(
    'Only versions before this index: the next older page begins behind the last one of this'
  ),
  after: unsigned64('Only versions behind this index, the oldest of them: the next newer page'),
  payload: present('Each version tells its whole payload, too')
}

/** @throws Refusal `invalid` that names the parameter and the rule */
export const parseHistoryRequest = (query: Query): HistoryRequest => {
  const numberIn = (name: string): number | undefined => {
    const text = firstValueOf(query, name)
    return text === undefined ? undefined : integer(text, name)
  }
  const limit = numberIn('limit') ?? USUAL
  if (limit < 1 || limit > MOST) throw invalid(`Invalid limit: ${limit} is not from 1 to ${MOST}`)
  const [before, after] = [numberIn('before'), numberIn('after')]
  if (before !== undefined && after !== undefined)
    throw invalid('Invalid after: before and after cannot both be given: a page lies on one side of an index')
  return { limit, before, after, payload: flag(query, 'payload') }
}

/** Where versions are read from. */
export interface VersionSource {
  readonly log: Pick<EventLog, 'history' | 'newestFirst'>
  readonly base: BaseSnapshotResources
}

/** Some versions, the newest first. */
export interface VersionPage {
  readonly versions: readonly ResourceVersion[]
  /** The one before the oldest of them; undefined where none is kept. */
  readonly before: ResourceVersion | undefined
  /** Whether there are newer ones than these. */
  readonly hasNewer: boolean
}

/** The versions that a commit made, the newest first. */
const versionsIn = (commit: Commit, resource: HistoryTarget): readonly ResourceVersion[] =>
  commit.Events.filter(event => concerns(event, resource))
    .map(event => ({ commit, event }))
    .toReversed()

/** Those that the log has, and behind them the one that the base has, if it is not one of those. */
async function* newestFirst(
  { log, base }: VersionSource,
  resource: HistoryTarget,
  from = Infinity,
  wanted = 1
): AsyncGenerator<readonly ResourceVersion[]> {
  let oldest = Infinity
  for await (const commit of log.newestFirst(resource, from, wanted)) {
    oldest = commit.Index
    yield versionsIn(commit, resource)
  }
  const start = await base.index()
  if (start === 0 || oldest <= start) return
  const kept = await base.newest(resource)
  if (kept && kept.commit.Index <= from) yield [kept]
}

/** The newest version with an index of at most `from`; undefined when there is none. */
export const newestVersion = async (
  source: VersionSource,
  resource: HistoryTarget,
  from?: number
): Promise<ResourceVersion | undefined> => {
  for await (const [version] of newestFirst(source, resource, from)) if (version) return version
  return undefined
}

/** Costs the versions of the page, and one more. */
export const versionPage = async (
  source: VersionSource,
  resource: HistoryTarget,
  { limit, before = Infinity, after }: HistoryRequest
): Promise<VersionPage> =>
  after === undefined
    ? pageBefore(source, resource, limit, before)
    : pageAfter(source, resource, limit, after)

const pageBefore = async (
  source: VersionSource,
  resource: HistoryTarget,
  limit: number,
  end: number
): Promise<VersionPage> => {
  const versions: ResourceVersion[] = []
  let before: ResourceVersion | undefined
  for await (const found of newestFirst(source, resource, end - 1, limit + 1)) {
    before = versions.length >= limit ? found[0] : undefined
    if (before) break
    versions.push(...found)
  }
  const newest = end === Infinity ? undefined : await newestVersion(source, resource)
  return { versions, before, hasNewer: newest !== undefined && newest.commit.Index >= end }
}

const pageAfter = async (
  source: VersionSource,
  resource: HistoryTarget,
  limit: number,
  start: number
): Promise<VersionPage> => {
  const versions: ResourceVersion[] = []
  let hasNewer = false
  const { topic, partition, namespace, key } = resource
  for await (const commit of source.log.history(topic, partition, namespace, key, start + 1)) {
    hasNewer = versions.length >= limit
    if (hasNewer) break
    versions.unshift(...versionsIn(commit, resource))
  }
  return { versions, before: await newestVersion(source, resource, start), hasNewer }
}
