// Compares the responses of clients with the logs of all servers, and the servers with each other.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { annals } from '../support/command-line.js'
import type { AnnalsServer } from './annals-server.js'
import type { Write } from './workload.js'

/** What a stopped server has on its disk. */
export interface Stored {
  readonly name: string
  /** The newest commit and its hash. */
  readonly head: string
  /** Root of the tree over all commits. */
  readonly root: string
  /** Index and digest of the read models at the end. */
  readonly state: string
}

/** A problem with what was stored. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

const line = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? 'missing'

/** Verifies the log of a stopped server, with a replay. @throws Violation when it does not hold */
export const storedBy = async ({ name, dataDir, config }: AnnalsServer): Promise<Stored> => {
  const verified = await annals(['log', 'verify', '--replay', '--config', config])
  if (verified.code !== 0) throw new Violation(`${name}: ${verified.output}${verified.errors}`)
  const { output } = verified
  const checkpoint: { readonly index: number; readonly digest: string } = JSON.parse(
    await readFile(join(dataDir, 'checkpoint.json'), 'utf8')
  )
  return {
    name,
    head: `${line(output, /^head index (\d+)$/m)} ${line(output, /^head hash (\w+)$/m)}`,
    root: line(output, /^root (\S+) over/m),
    state: `${checkpoint.index} ${checkpoint.digest}`
  }
}

/** The same head, tree and state on all servers. @throws Violation */
export const assertEqual = (servers: readonly Stored[]): void => {
  const [first, ...others] = servers
  for (const other of others)
    for (const field of ['head', 'root', 'state'] as const)
      if (first && other[field] !== first[field])
        throw new Violation(`${field} of ${first.name} is ${first[field]}, of ${other.name} ${other[field]}`)
}

interface ShownCommit {
  readonly Index: number
  readonly Time: string
  readonly Events: readonly { readonly Topic: string; readonly Key: string }[]
}

/** The indexes at which each key was set, in the log of a stopped server. @throws Violation when its time runs back */
export const keysIn = async ({
  name,
  config
}: AnnalsServer): Promise<ReadonlyMap<string, readonly number[]>> => {
  const { code, output, errors } = await annals(['log', 'show', '--json', '--config', config])
  if (code !== 0) throw new Violation(`${name}: ${errors}`)
  const keys = new Map<string, number[]>()
  let last: ShownCommit | undefined
  for (const text of output.split('\n')) {
    if (text === '') continue
    const commit: ShownCommit = JSON.parse(text)
    if (last && commit.Index !== last.Index + 1)
      throw new Violation(`${name}: commit ${commit.Index} comes behind ${last.Index}`)
    if (last && Date.parse(commit.Time) < Date.parse(last.Time))
      throw new Violation(
        `${name}: commit ${commit.Index} is of ${commit.Time}, the one before of ${last.Time}`
      )
    last = commit
    for (const { Topic, Key } of commit.Events) {
      if (Topic !== 'KV') continue
      const indexes = keys.get(Key)
      if (indexes) indexes.push(commit.Index)
      else keys.set(Key, [commit.Index])
    }
  }
  return keys
}

/**
 * Every acknowledged write is there once, at its index; what was refused is not there; what is unknown is there at most once.
 * @throws Violation with the first ten that are not so
 */
export const assertAcknowledged = (
  writes: readonly Write[],
  keys: ReadonlyMap<string, readonly number[]>
): void => {
  const faults = writes.flatMap(({ key, kind, outcome, index, response }) => {
    const found = keys.get(key) ?? []
    const fault = (what: string): string =>
      `${key} (${kind}, response "${response}"): ${what}, found at [${found.join()}]`
    if (outcome === 'acknowledged')
      return found.length === 1 && found[0] === index ? [] : [fault(`acknowledged at ${index}`)]
    if (outcome === 'unknown') return found.length > 1 ? [fault('unknown')] : []
    if (kind === 'cas' && response === '200 false')
      return [fault('refused for a key that no other client writes')]
    if (response.startsWith('500')) return [fault('answered with a fault of the server')]
    return found.length > 0 ? [fault('refused')] : []
  })
  if (faults.length > 0) throw new Violation(`${faults.length} faults:\n${faults.slice(0, 10).join('\n')}`)
}

/** All checks, for servers that were stopped in order, and all responses of clients. @throws Violation */
export const assertSound = async (
  servers: readonly AnnalsServer[],
  writes: readonly Write[]
): Promise<void> => {
  const stored: Stored[] = []
  for (const server of servers) stored.push(await storedBy(server))
  assertEqual(stored)
  const [first] = servers
  // The others hold the same, since heads and trees are equal and every log holds.
  if (first) assertAcknowledged(writes, await keysIn(first))
}

/** The indexes at which a running server shows the keys of some writes. */
const keysShownBy = async (
  server: AnnalsServer,
  prefix: string
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const { status, text } = await server.send('GET', `/v1/kv/${prefix}/?recurse&stale`)
  const stored: readonly { readonly Key: string; readonly ModifyIndex: number }[] =
    status === 404 ? [] : JSON.parse(text)
  return new Map(stored.map(({ Key, ModifyIndex }) => [Key, [ModifyIndex]]))
}

/**
 * Like `assertSound`, for running servers that have all commits: each shows the keys according to the responses. That a key was set twice
 * is found by `assertSound` alone.
 * @param prefix what the keys of the writes begin with
 * @throws Violation
 */
export const assertServed = async (
  servers: readonly AnnalsServer[],
  writes: readonly Write[],
  prefix: string
): Promise<void> => {
  for (const server of servers)
    try {
      assertAcknowledged(writes, await keysShownBy(server, prefix))
    } catch (error) {
      throw new Violation(`${server.name}: ${String(error)}`, { cause: error })
    }
}
