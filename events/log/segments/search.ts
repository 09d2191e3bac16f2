// Finds what may be wanted in the sealed segments by their index files, so that the rest need not be read.
import type { Search } from '../../stored.js'
import { filterKeyHash, historyHash } from '../history.js'
import type { IndexFile } from './index-file.js'
import type { Segment } from './segment.js'

/** So many commits of a segment, and all of it is read instead. */
const MOST_COMMITS = 64

/** What of a segment has to be read: all, nothing, or these commits (ascending). */
export type Found = 'all' | 'nothing' | readonly number[]

/** @param file the segment's; undefined when there is none */
export async function findIn(segment: Segment, file: IndexFile | undefined, search: Search): Promise<Found> {
  if (!file) return 'all'
  const commits = new Set<number>()
  for (const { topic, key } of search.wanted)
    for (const each of topic === undefined ? file.topics : [topic]) {
      if (!file.topics.has(each)) continue
      const found = key === undefined ? undefined : await commitsOf(file, each, key, search)
      if (!found) return 'all'
      for (const index of found) if (index <= segment.last) commits.add(index)
    }
  if (commits.size === 0) return 'nothing'
  return commits.size > MOST_COMMITS ? 'all' : [...commits].toSorted((a, b) => a - b)
}

/** Undefined when that cannot be told. */
async function commitsOf(
  file: IndexFile,
  topic: string,
  key: string,
  { partition, namespace }: Search
): Promise<readonly number[] | undefined> {
  // A folder is also that of keys below it.
  if (partition === undefined || namespace === undefined || key.endsWith('/')) return undefined
  const isFilterKey = await file.find(filterKeyHash(topic, key))
  if (isFilterKey?.length !== 0) return undefined
  const [inNamespace, inNone] = [
    await file.find(historyHash(topic, partition, namespace, key)),
    await file.find(historyHash(topic, partition, '', key))
  ]
  return inNamespace && inNone && [...inNamespace, ...inNone]
}
