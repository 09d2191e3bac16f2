// Projections whose state outlives the program.
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Objectish } from 'immer'
import type { Commit } from '../events/envelope.js'
import { replacePath } from '../events/files.js'
import { isObject } from '../events/values.js'
import type { ReadableLog } from './log.js'
import type { CustomProjection } from './project.js'

export interface DurableOptions {
  /** The checkpoint, which is replaced atomically. */
  readonly file: string
  /** Change it with the handlers or the form of the state: a checkpoint of another version is rebuilt. */
  readonly version: number | string
}

export interface DurableState<State> {
  readonly state: State
  /** Index of the last applied commit. */
  readonly index: number
  /** Number of commits that were applied now: all after a change of the version, else those after the checkpoint. */
  readonly applied: number
}

export interface DurableProjection<State> {
  /** Applies the commits after the checkpoint, and stores the new one. @throws CommitsGone if the log has lost commits before it */
  update(log: ReadableLog): Promise<DurableState<State>>
}

/** A crash repeats at most so many commits. */
const COMMITS_PER_CHECKPOINT = 10_000

interface Stored {
  readonly Version: number | string
  readonly Index: number
  /** Of the last applied commit, so that another log is noticed. */
  readonly Commit: string
  readonly State: unknown
}

const isStored = (value: unknown): value is Stored =>
  isObject(value) &&
  Number.isSafeInteger(value['Index']) &&
  typeof value['Commit'] === 'string' &&
  'State' in value

/** Erased payloads do not count. */
const digestOf = ({ Index, Time, Events }: Commit): string =>
  createHash('sha256')
    .update(JSON.stringify([Index, Time, Events.map(({ Topic, Type: type, Key }) => [Topic, type, Key])]))
    .digest('hex')

const readStored = async (file: string): Promise<Stored | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isStored(value) ? value : undefined
  } catch {
    // It is absent or damaged, and made again from the log.
    return undefined
  }
}

const isOfLog = async (log: ReadableLog, { Index, Commit }: Stored): Promise<boolean> => {
  if (Index > log.lastIndex || Index < log.firstIndex) return false
  for await (const commit of log.commits({ from: Index, until: Index })) return digestOf(commit) === Commit
  return false
}

/**
 * Returns a projection that resumes from a checkpoint file. The state must be JSON.
 * @param isState checks a stored state; one that fails is rebuilt
 */
export const durable = <State extends Objectish>(
  projection: CustomProjection<State>,
  isState: (value: unknown) => value is State,
  { file, version }: DurableOptions
): DurableProjection<State> => {
  const write = async (state: State, commit: Commit): Promise<void> => {
    const stored: Stored = { Version: version, Index: commit.Index, Commit: digestOf(commit), State: state }
    await mkdir(dirname(file), { recursive: true })
    await replacePath(file, JSON.stringify(stored), { flush: true })
  }
  return {
    update: async log => {
      const stored = await readStored(file)
      const isUsable = stored?.Version === version && (await isOfLog(log, stored))
      const resumed =
        isUsable && isState(stored.State) ? { state: stored.State, index: stored.Index } : undefined
      let { state, index } = resumed ?? { state: projection.initial, index: 0 }
      let applied = 0
      let last: Commit | undefined
      if (index < log.lastIndex)
        for await (const commit of log.commits({ from: index + 1 })) {
          state = projection.fold(state, commit).state
          index = commit.Index
          last = commit
          if (++applied % COMMITS_PER_CHECKPOINT === 0) await write(state, commit)
        }
      if (last) await write(state, last)
      return { state, index, applied }
    }
  }
}
