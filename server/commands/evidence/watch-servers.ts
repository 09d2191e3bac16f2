// Compares the signed checkpoints of servers: a log that shows different commits to different readers is found.
import { setTimeout as pause } from 'node:timers/promises'
import { UsageError, writeLines, type Console } from '../../../clients/cli/console.js'
import { Connection } from '../../../clients/typescript/connection.js'
import type { NoteKey } from '../../../events/log/evidence/note-keys.js'
import { ProofFailed } from '../../../events/log/evidence/proofs.js'
import type { MerkleTree } from '../../../events/log/tree/tree.js'
import { getOrCreate } from '../../../projections/maps.js'
import { SourceUnavailable, type PublicFiles } from '../../publication/public-files.js'
import { openSourceTree, readHead, type SourceHead } from '../../publication/verified-tree.js'
import { serverFiles } from '../server-source.js'
import { keysOf } from './trusted-inputs.js'

interface WatchOptions {
  /** Base addresses. */
  readonly servers: readonly string[]
  /** Public keys of the log. */
  readonly key: readonly string[]
  /** Time between two comparisons, in ms. */
  readonly intervalMs: number
  readonly isOnce: boolean
}

/** A server that does not answer must not delay the others. */
const TIMEOUT_MS = 10_000

const filesOf = (address: string): PublicFiles =>
  serverFiles(
    new Connection({
      address,
      retries: 0,
      fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    })
  )

/** A signed checkpoint, and the tree of the tiles that hash to its root. */
interface SignedTree extends SourceHead {
  readonly base: string
  readonly tree: MerkleTree
}

const inPart = ({ head }: SourceHead): string => `${head.size} commits of ${head.origin}`

/**
 * Proves that a tree begins with an earlier or smaller one of the same origin.
 * @throws ProofFailed with both signed checkpoints, and the proof that the tree has another root at the smaller size
 */
const proveBeginning = async (smaller: SignedTree, larger: SignedTree): Promise<void> => {
  const { size } = smaller.head
  const root = await larger.tree.rootAt(size)
  if (root.equals(smaller.head.root)) return
  const split = `split view: ${smaller.base} and ${larger.base} signed different trees of ${inPart(smaller)}`
  const notes = `${split}\n${smaller.note.toString()}\n${larger.note.toString()}`
  if (size === larger.head.size) throw new ProofFailed(notes)
  const hashes = await larger.tree.consistency(size, larger.head.size)
  const proof = hashes.map(hash => hash.toString('base64')).join('\n')
  throw new ProofFailed(
    `${notes}\nthe tiles of ${larger.base} hash to its root, and to ${root.toString('base64')} at ${size} commits, which these hashes prove (RFC 9162, 2.1.4.2):\n${proof}`
  )
}

/** One server, and the newest checkpoint of each origin that it has shown. */
class WatchedServer {
  readonly #files: PublicFiles
  readonly #newest = new Map<string, SignedTree>()
  #origin: string | undefined

  constructor(
    readonly base: string,
    private readonly keys: readonly NoteKey[]
  ) {
    this.#files = filesOf(base)
  }

  /**
   * Returns its newest checkpoint, which contains the one before.
   * @returns in addition the origin before, if it is another one
   * @throws ProofFailed MalformedNote TreeDamage SourceUnavailable
   */
  async newest(): Promise<{ readonly shown: SignedTree; readonly formerOrigin: string | undefined }> {
    const signed = await readHead(this.#files, this.keys)
    const { origin, size } = signed.head
    const before = this.#newest.get(origin)
    if (before && size < before.head.size)
      throw new ProofFailed(`${this.base} went back from ${inPart(before)} to ${inPart(signed)}`)
    const shown = { base: this.base, ...signed, tree: await openSourceTree(this.#files, signed.head) }
    if (before) await proveBeginning(before, shown)
    const formerOrigin = this.#origin === origin ? undefined : this.#origin
    this.#newest.set(origin, shown)
    this.#origin = origin
    return { shown, formerOrigin }
  }
}

/** Compares trees of one origin, each with the smallest one. @throws ProofFailed SourceUnavailable TreeDamage */
const compare = async (shown: readonly SignedTree[]): Promise<void> => {
  const [first, ...others] = shown.toSorted((a, b) => a.head.size - b.head.size)
  if (first) for (const other of others) await proveBeginning(first, other)
}

/** Returns why a server cannot be read now. @throws UsageError for the same if it is an error; every other error */
const reasonOf = (error: unknown, isStrict: boolean): string => {
  if (!(error instanceof SourceUnavailable)) throw error
  if (isStrict) throw new UsageError(error.message)
  return error.message
}

/** Compares all servers once. Returns a line for each, and for each origin. @throws ProofFailed MalformedNote TreeDamage */
async function* compareOnce(servers: readonly WatchedServer[], isStrict: boolean): AsyncGenerator<string> {
  const byOrigin = new Map<string, SignedTree[]>()
  for (const server of servers)
    try {
      const { shown, formerOrigin } = await server.newest()
      getOrCreate(byOrigin, shown.head.origin, (): SignedTree[] => []).push(shown)
      yield `${server.base}: ${inPart(shown)}`
      if (formerOrigin !== undefined)
        yield `${server.base}: a new incarnation, which is not compared with the commits of ${formerOrigin}`
    } catch (error) {
      yield `${server.base}: ${reasonOf(error, isStrict)}`
    }
  for (const [origin, group] of byOrigin)
    try {
      await compare(group)
      if (group.length > 1) yield `${origin}: ${group.length} servers agree`
    } catch (error) {
      yield `${origin}: ${reasonOf(error, isStrict)}`
    }
  if (byOrigin.size > 1)
    yield `${byOrigin.size} origins: a new incarnation has another tree, and is not compared`
}

/** Compares servers until they differ, or once. @throws ProofFailed if they differ; MalformedNote; TreeDamage; UsageError */
export const watchServers = async (console: Console, options: WatchOptions): Promise<void> => {
  const { servers: bases, key, intervalMs, isOnce } = options
  if (key.length === 0)
    throw new UsageError('--key is missing: the public key of the log, from GET /v1/event/checkpoint/key')
  const servers = bases.map(base => new WatchedServer(base.replace(/\/+$/, ''), keysOf(key)))
  for (;;) {
    await writeLines(console.out, compareOnce(servers, isOnce))
    if (isOnce) return
    await pause(intervalMs)
  }
}
