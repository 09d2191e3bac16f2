// Follows the log of a source: takes what a signed checkpoint covers, after each commit was verified against it.
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { lifecycles } from '../../actors/aggregates.js'
import { Committer } from '../../actors/committer.js'
import type { Clock } from '../../actors/clock.js'
import type { Commit, StoredHead } from '../../events/envelope.js'
import { messageOf } from '../../events/errors.js'
import { follow } from '../../events/log/follow.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import { LogUnusable } from '../../events/log/log.js'
import { PAYLOAD_PART } from '../../events/log/record-format.js'
import type { StoredRecord } from '../../events/log/record.js'
import { originOf, type TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import type { NoteKey } from '../../events/log/evidence/note-keys.js'
import type { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { SOUND, type Connectivity } from '../../http/routes/operator/cluster-servers.js'
import type { OpenEvidence } from '../../http/wire/log-evidence.js'
import type { Views } from '../../projections/read-models.js'
import { ErasedParts } from '../erased-parts.js'
import { SourceUnavailable } from '../publication/public-files.js'
import { verifiedRecords } from '../publication/verified-records.js'
import { openSourceTree, readHead } from '../publication/verified-tree.js'
import type { ReceivedCheckpoints } from './received-checkpoints.js'
import { RecordVerifier } from './record-verifier.js'
import { recordsOf, type ReplicaSource } from './replica-source.js'

/** Later checkpoints in which the erasure of a missing part must be ordered. */
const MAX_UNPROVED = 2

interface FollowerOptions {
  readonly source: ReplicaSource
  readonly key: NoteKey
  readonly log: SegmentEventLog
  readonly committer: Committer
  readonly views: Views
  readonly evidence: () => OpenEvidence
  readonly received: ReceivedCheckpoints
  readonly clock: Pick<Clock, 'elapsed'>
  readonly logger: Logger
  /** Time between two reads of the checkpoint, in ms. */
  readonly interval: number
  /** Called once, when the source cannot be followed any more. */
  readonly onRefused: (error: unknown) => void
}

export class ReplicaFollower {
  readonly #ending = new AbortController()
  readonly #verifier = new RecordVerifier()
  readonly #erased = new ErasedParts()
  #following: Promise<void> = Promise.resolve()
  #unproved = 0
  #verifiedAt: number | undefined
  #sourceSize = 0

  constructor(private readonly options: FollowerOptions) {}

  /** Commits of the newest checkpoint of the source that are not shown yet. */
  get behind(): number {
    return Math.max(this.#sourceSize - this.options.log.durableIndex, 0)
  }

  /** Time since everything that the source has signed was last shown, in ms; undefined before the first time. */
  get lastContact(): number | undefined {
    return this.#verifiedAt === undefined ? undefined : this.options.clock.elapsed() - this.#verifiedAt
  }

  /** A replica is ready when it has shown all of a checkpoint of its source since its start. */
  connectivity(): Connectivity {
    const isSound = this.#verifiedAt !== undefined
    const { source, log } = this.options
    if (isSound && this.behind === 0) return SOUND
    const reason =
      this.#sourceSize === 0
        ? `this replica has not verified a checkpoint of ${source.files.place} since its start`
        : `this replica shows ${log.durableIndex} of the ${this.#sourceSize} commits that ${source.files.place} has signed`
    return { isSound, reasons: [reason] }
  }

  /** Follows the source until `stop`. */
  start(): void {
    const { interval, logger, onRefused } = this.options
    const { signal } = this.#ending
    this.#following = follow(
      {
        attempt: async heard => {
          await this.#takeNext(signal)
          heard()
        },
        failed: (error, isNew) => {
          if (signal.aborted) return
          if (!(error instanceof SourceUnavailable)) throw error
          if (isNew) logger.warn(`the source cannot be reached now: ${messageOf(error)}`)
        },
        interval,
        pause: (ms, end) => setTimeout(ms, undefined, { signal: end }).catch(() => {})
      },
      signal
    ).catch(onRefused)
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#following
    await this.#verifier.close()
  }

  /** What this replica has shown, as a checkpoint of the source must contain it. */
  async #shown(): Promise<TreeHead | undefined> {
    const { log, evidence } = this.options
    const { tree } = evidence()
    await tree.catchUp()
    const size = log.durableIndex
    return size === 0
      ? undefined
      : { origin: originOf(log.identity), size, root: await tree.tree.rootAt(size) }
  }

  async #takeNext(signal: AbortSignal): Promise<void> {
    const { source, key, log, committer, received, evidence, clock } = this.options
    const readAt = clock.elapsed()
    const { head, note } = await readHead(source.files, [key])
    const before = await this.#shown()
    const { tree: own } = evidence().tree
    // A cache may have an earlier checkpoint.
    if (before && head.size < before.size && (await own.rootAt(head.size)).equals(head.root)) return
    this.#sourceSize = head.size
    const isSame =
      before?.size === head.size && before.root.equals(head.root) && before.origin === head.origin
    if (!isSame) {
      if (head.origin !== originOf(log.identity))
        throw new ProofFailed(
          `${source.files.place} has the log ${head.origin}, and this replica ${originOf(log.identity)}: start it with an empty data folder`
        )
      const tree = await openSourceTree(source.files, head, before)
      const from = (before?.size ?? 0) + 1
      const onThread = this.#verifier.for(head.size - from + 1)
      const verify: typeof verifiedRecords = async (group, first, within) => {
        const records = await verifiedRecords(group, first, within, onThread)
        log.open(records)
        return records
      }
      for await (const records of recordsOf(source, from, head, tree, verify)) {
        this.#refuseErased(records)
        await committer.ingest(apply => log.ingest(records, this.#noting(apply)), signal)
        if (signal.aborted) return
      }
      await this.#proveErasures()
    }
    await received.take({ size: head.size, text: note.toString() }, evidence().checkpoints)
    this.#verifiedAt = readAt
  }

  /**
   * An erased deletion cannot be applied. A replica that has applied earlier versions would show these. Other erased versions have a successor.
   * @throws LogUnusable naming the first such commit
   */
  #refuseErased(records: readonly StoredRecord[]): void {
    const { views, source } = this.options
    for (const record of records) {
      let heads: readonly StoredHead[] | undefined
      for (const { kind, event, isErased } of record.layout()) {
        if (kind !== PAYLOAD_PART || !isErased) continue
        heads ??= [...record.heads()]
        const head = heads[event]
        const lifecycle = head && lifecycles.of(head.Topic)
        if (!lifecycle || !lifecycles.isEnding(head)) continue
        const { Topic, Partition: partition = 'default', Namespace: namespace, Key: key } = head
        if (lifecycle.stateOf(views, { kind: Topic, partition, namespace, key }) === lifecycle.initial)
          continue
        throw new LogUnusable(
          `commit ${record.index} deleted ${Topic} ${JSON.stringify(key)}, which ${source.files.place} has erased since, and this replica shows an earlier version: start it with an empty data folder`
        )
      }
    }
  }

  #noting(apply: (commits: readonly Commit[]) => void): (commits: readonly Commit[]) => void {
    return commits => {
      apply(commits)
      for (const commit of commits) this.#erased.addCommit(commit)
    }
  }

  /** The order of an erasure may be in a later checkpoint than its effect. @throws LogUnusable if it is in none of them */
  async #proveErasures(): Promise<void> {
    if (this.#erased.unproved === 0) return
    try {
      await this.#erased.prove(this.options.log)
      this.#unproved = 0
    } catch (error) {
      if (++this.#unproved > MAX_UNPROVED) throw error
      this.options.logger.warn(`${messageOf(error)}; the order may follow`)
    }
  }
}
