// Erasure outside the log: in truncated copies from repairs, and in denied attempts.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import type { DeletedResource } from '../../actors/erasure/deleted-secrets.js'
import type { ErasureTargets } from '../../actors/erasure/erasure-process.js'
import { type CommitErasure, isErasedBy, isOriginErasure, mergeErasures } from '../../events/erasure.js'
import {
  isEventOf,
  type LogMaintenance,
  resourceOf,
  type TruncatedCopyErasure
} from '../../events/log/log.js'
import type { StoredCommit } from '../../events/stored.js'
import type { OrderedErasure } from '../../projections/erasures.js'
import { DenialLog } from './denial-log.js'
import { EVENT_LOG, LOGGER } from '../../server/settings/ports.js'

@scoped(Lifecycle.ContainerScoped)
export class ErasureTargetsBesideLog {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogMaintenance,
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
          erasureOf: record => orderedErasureOf(orders, record, first),
          // Earlier orders were complete before the repair.
          removesUnreadable: orders.some(({ index }) => index >= first)
        }))
      },
      eraseSecretsElsewhere: deleted =>
        this.#eraseInCopies(() => ({
          erasureOf: record => deletedSecretsIn(record, deleted),
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

/** Returns what orders erase in a record of a truncated copy. @param first index of the first commit in the copy */
const orderedErasureOf = (
  orders: readonly OrderedErasure[],
  record: StoredCommit,
  first: number
): CommitErasure | undefined => {
  let erasures: CommitErasure | undefined
  for (const { index: ordered, erasure } of orders) {
    // A copy is older than an order after the repair.
    if (ordered < first && record.index > erasure.UpTo) continue
    const { index } = record
    if (isOriginErasure(erasure)) {
      if (record.by.AccessorID === erasure.Accessor) erasures = mergeErasures(erasures, { index, who: true })
      continue
    }
    const events = record.events().flatMap((event, number) => (isErasedBy(event, erasure) ? [number] : []))
    // A response may contain resources outside its commit, so no stored response is returned again.
    erasures = mergeErasures(erasures, { index, events, answer: true })
  }
  return erasures
}

const deletedSecretsIn = (
  record: StoredCommit,
  deleted: readonly DeletedResource[]
): CommitErasure | undefined => {
  const resources = deleted.map(resourceOf)
  const secrets = record
    .events()
    .flatMap((event, number) => (resources.some(resource => isEventOf(event, resource)) ? [number] : []))
  return secrets.length > 0 ? { index: record.index, secrets, answer: true } : undefined
}
