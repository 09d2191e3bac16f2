// Makes one splitter of splitters behind splitters, and finds circles (spec: config.md §7 step 4.1 and 4.2).
import type { Compilation, UnfinishedSplit, UnfinishedSplitter } from './compilation.js'

/** Most splits of one chain that stand for splits behind splits. More could not all weigh a hundredth. */
const MOST_SPLITS = 10_000

const float32 = Math.fround

/** Halves round up, to hundredths, in the precision of the reference. */
const normalised = (weight: number): number => Math.floor(float32(weight * 100) + 0.5) / 100

/** The share that an inner split has of the whole. */
const combined = (outer: number, inner: number): number =>
  normalised(float32(float32(float32(outer) * float32(inner)) / 100))

/**
 * Puts the inner splits in place of each split that leads to a splitter, innermost first.
 * @throws CompileError for a splitter that leads back to itself, or for more splits than make sense
 */
export const flattenSplitters = (compilation: Compilation): void => {
  const done = new Set<string>()
  const path: string[] = []
  let combinedCount = 0

  const splitterAt = (key: string): UnfinishedSplitter | undefined => {
    const node = compilation.nodes.get(key)
    return node?.Type === 'splitter' ? node : undefined
  }

  const flatten = (key: string, node: UnfinishedSplitter): void => {
    if (done.has(key)) return
    const at = path.indexOf(key)
    if (at >= 0) throw circular(compilation, [...path.slice(at), key])
    path.push(key)
    const splits: UnfinishedSplit[] = []
    for (const split of node.splits) {
      const inner = splitterAt(split.next)
      if (!inner) splits.push(split)
      else {
        flatten(split.next, inner)
        combinedCount += inner.splits.length
        if (combinedCount > MOST_SPLITS)
          throw compilation.fail(`splitters behind splitters make more than ${MOST_SPLITS} splits`, [
            node.entry
          ])
        for (const { weight, next } of inner.splits)
          splits.push({ weight: combined(split.weight, weight), next })
      }
    }
    node.splits = splits
    path.pop()
    done.add(key)
  }

  for (const [key, node] of compilation.nodes) if (node.Type === 'splitter') flatten(key, node)
}

const circular = (compilation: Compilation, path: readonly string[]): Error =>
  compilation.fail(
    `detected circular reference: [${path.join(' -> ')}]`,
    path.slice(1).flatMap(key => {
      const node = compilation.nodes.get(key)
      return node?.Type === 'splitter' ? [node.entry] : []
    })
  )
