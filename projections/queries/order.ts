// In which order a query answers: at random, then nearest first, then cut (spec: queries.md §6.1, §6.3).
import type { Instance } from './instance.js'

/** The instance on the source node itself goes to the front if it is among so many. */
const FIRST = 10

/** Shuffles in place. `random` gives numbers from 0 to below 1. */
export const shuffle = <T>(list: T[], random: () => number): T[] => {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const [a, b] = [list[i], list[j]]
    if (a === undefined || b === undefined) continue
    list[i] = b
    list[j] = a
  }
  return list
}

/** Nanoseconds from the source to a node; undefined when one of the two has no coordinate. */
export type Distance = (node: string) => number | undefined

/**
 * Sorts by distance, keeping the order of what is equally far; nodes without a coordinate come last. Then the first
 * instance on the source node itself is swapped to the front.
 * @param source name of the node, with regard to letter case
 */
export const nearestFirst = (
  list: Instance[],
  source: string,
  distance: Distance | undefined
): Instance[] => {
  const sorted = distance
    ? list
        .map(instance => ({ instance, far: distance(instance.node.Node) ?? Infinity }))
        .toSorted((a, b) => (a.far === b.far ? 0 : a.far - b.far))
        .map(({ instance }) => instance)
    : list
  const at = sorted.slice(0, FIRST).findIndex(({ node }) => node.Node === source)
  const [first, own] = [sorted[0], sorted[at]]
  if (at > 0 && first && own) {
    sorted[0] = own
    sorted[at] = first
  }
  return sorted
}

/** The first so many; 0 and below mean all. */
export const limited = <T>(list: readonly T[], limit: number): readonly T[] =>
  limit > 0 && limit < list.length ? list.slice(0, limit) : list
