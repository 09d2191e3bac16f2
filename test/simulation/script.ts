// What a simulation plays: the faults of a seed, or those that a file names.
import { readFileSync } from 'node:fs'
import type { Fault } from './faults.js'

export interface Script {
  readonly seed: number
  readonly operations: number
  readonly clients: number
  /** Default: those that the seed chooses, until the operations are over. */
  readonly faults?: readonly Fault[]
}

export const CLIENTS = 12

export const readScript = (file: string): Script => JSON.parse(readFileSync(file, 'utf8'))

/** Removes parts of a list as long as the rest still fails: halves first, then ever smaller parts. */
const shrinkList = async <T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>
): Promise<readonly T[]> => {
  let left = items
  for (let size = Math.ceil(items.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < left.length;) {
      const rest = [...left.slice(0, at), ...left.slice(at + size)]
      if (await fails(rest)) left = rest
      else at += size
    }
  return left
}

/** Halves a number as long as it still fails. */
const shrinkNumber = async (number: number, fails: (number: number) => Promise<boolean>): Promise<number> => {
  let left = number
  while (left > 1 && (await fails(Math.ceil(left / 2)))) left = Math.ceil(left / 2)
  return left
}

/** Returns a script that still fails with fewer faults, clients and operations. */
export const shrink = async (
  script: Script & { readonly faults: readonly Fault[] },
  fails: (script: Script) => Promise<boolean>
): Promise<Script> => {
  const operations = await shrinkNumber(script.operations, number => fails({ ...script, operations: number }))
  const shorter = { ...script, operations }
  const faults = await shrinkList(script.faults, some => fails({ ...shorter, faults: some }))
  const clients = await shrinkNumber(script.clients, number => fails({ ...shorter, faults, clients: number }))
  return { ...shorter, faults, clients }
}
