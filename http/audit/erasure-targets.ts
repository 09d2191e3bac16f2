// What a server keeps beside its log that an erasure reaches, too: the copies of what repairs have cut off the log, and attempts that were denied.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import type { DeletedResource } from '../../actors/erasure/deleted-secrets.js'
import type { ErasureTargets } from '../../actors/erasure/erasure-process.js'
import { isErasedBy } from '../../actors/erasure/parts-to-erase.js'
import { type CommitErasure, isOriginErasure, mergeErasures } from '../../events/erasure.js'
import type { TruncatedCopyErasure, EventLog } from '../../events/log/log.js'
import type { StoredCommit } from '../../events/stored.js'
import type { OrderedErasure } from '../../projections/erasures.js'
import { DenialLog } from './denial-log.js'
import { EVENT_LOG, LOGGER } from '../../server/settings/ports.js'

@scoped(Lifecycle.ContainerScoped)
export class ErasureTargetsBesideLog {
  constructor(
    @inject(EVENT_LOG) private readonly log: EventLog,
    private readonly denials: DenialLog,
    @inject(LOGGER) private readonly logger: Logger
  ) {}

  /** The interface of the erasure process. */
  get host(): Pick<ErasureTargets, 'eraseElsewhere' | 'eraseSecretsElsewhere'> {
    return {
      eraseElsewhere: async orders => {
        for (const { index, erasure } of orders)
          if (isOriginErasure(erasure)) await this.denials.erase(erasure.Accessor, index)
        await this.#eraseInCopies(first => ({
          erasureOf: record => wantedBy(orders, record, first),
          // What was ordered before the repair had gone from the log by then.
          removesUnreadable: orders.some(({ index }) => index >= first)
        }))
      },
      eraseSecretsElsewhere: ended =>
        this.#eraseInCopies(() => ({
          erasureOf: record => secretsIn(record, ended),
          removesUnreadable: false
        }))
    }
  }

  async #eraseInCopies(erasureOf: (first: number) => TruncatedCopyErasure): Promise<void> {
    const removed = await this.log.eraseInTruncatedCopies?.(erasureOf)
    if (removed && removed.length > 0)
      this.logger.warn(
        { files: removed },
        'copies of what a repair has cut off were removed: they may hold what was to be erased, and not all of them can be read'
      )
  }
}

/** What orders want of a record that a repair has copied. @param first index of the first commit that was cut off by it */
const wantedBy = (
  orders: readonly OrderedErasure[],
  record: StoredCommit,
  first: number
): CommitErasure | undefined => {
  let wanted: CommitErasure | undefined
  for (const { index: ordered, erasure } of orders) {
    // All of the copy is older than an order of after the repair.
    if (ordered < first && record.index > erasure.UpTo) continue
    const { index } = record
    if (isOriginErasure(erasure)) {
      if (record.by.AccessorID === erasure.Accessor) wanted = mergeErasures(wanted, { index, who: true })
      continue
    }
    const events = record.events().flatMap((event, number) => (isErasedBy(event, erasure) ? [number] : []))
    // A response may contain resources outside its commit, so no stored response is returned again.
    wanted = mergeErasures(wanted, { index, events, answer: true })
  }
  return wanted
}

const secretsIn = (record: StoredCommit, ended: readonly DeletedResource[]): CommitErasure | undefined => {
  const secrets = record
    .events()
    .flatMap((event, number) =>
      ended.some(
        ({ Topic, Partition, Namespace, Key }) =>
          event.Topic === Topic &&
          event.Key === Key &&
          event.Namespace === Namespace &&
          event.Partition === Partition
      )
        ? [number]
        : []
    )
  return secrets.length > 0 ? { index: record.index, secrets, answer: true } : undefined
}
