// The order of instances in a response: random, then nearest first, then limited (spec: queries.md §6.1, §6.3).
import { StepPace, type Steps } from '../steps.js'
import { nearestFirst, type NodeDistances } from '../catalog/vivaldi.js'
import type { Instance } from './instance.js'

/** The instance on the source node itself becomes the first if it is among the first 10. */
const FIRST = 10

/** Shuffles in place: every order of the first `count` elements is equally likely. `random` returns numbers from 0 to below 1. Cost: `count`. */
export function* shuffle<T>(list: T[], random: () => number, count = list.length): Steps<T[]> {
  const pace = new StepPace()
  const last = Math.min(count, list.length - 1)
  for (let i = 0; i < last; i++) {
    const j = i + Math.floor(random() * (list.length - i))
    const [a, b] = [list[i], list[j]]
    if (a === undefined || b === undefined) continue
    list[i] = b
    list[j] = a
    if (pace.isOver()) yield
  }
  return list
}

export interface Near {
  /** In exact letter case. */
  readonly node: string
  readonly placesOf: (node: string) => NodeDistances | undefined
}

/** Sorts by distance (stable); nodes without a coordinate come last. Then the first instance on the source node itself is swapped to the front. */
export function* nearFirst(
  list: readonly Instance[],
  { node: source, placesOf }: Near
): Steps<readonly Instance[]> {
  const from = placesOf(source)
  const sorted = from ? [...(yield* nearestFirst(list, from, ({ node }) => placesOf(node.Node)))] : [...list]
  const at = sorted.slice(0, FIRST).findIndex(({ node }) => node.Node === source)
  const [first, own] = [sorted[0], sorted[at]]
  if (at > 0 && first && own) {
    sorted[0] = own
    sorted[at] = first
  }
  return sorted
}

/** 0 and negative limits mean all. */
export const limited = <T>(list: readonly T[], limit: number): readonly T[] =>
  limit > 0 && limit < list.length ? list.slice(0, limit) : list
