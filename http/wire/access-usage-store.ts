import { inject, Lifecycle, scoped } from 'tsyringe'
import { type Erasure, isOriginErasure } from '../../events/erasure.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import { Clock } from '../../actors/clock.js'
import { Coverage } from '../../projections/acl/usage/coverage.js'
import { MINUTES_A_DAY } from '../../projections/acl/usage/day-counts.js'
import { QuestionStore } from '../../projections/acl/usage/question-store.js'
import { LONGEST_NAME, type UsageReport } from '../../projections/acl/usage/question-counter.js'
import { Views } from '../../projections/read-models.js'
import { LiveSettings, type Settings } from '../../server/settings/settings.js'
import { SETTINGS } from '../../server/settings/ports.js'
import { AccessUsage } from './access-usage.js'
import { Chunks } from './cooperative-chunks.js'
import { MINUTE_MS } from './token-use.js'

/** The recorded questions of this server: those of its main process and of its workers. */
@scoped(Lifecycle.ContainerScoped)
export class AccessUsageStore {
  readonly questions: QuestionStore
  readonly coverage = new Coverage()
  /** Days whose counts have changed since they were stored. */
  readonly changed = new Set<number>()
  #erase: (() => Promise<void>) | undefined

  constructor(
    @inject(SETTINGS) settings: Pick<Settings, 'acl'>,
    private readonly live: LiveSettings,
    private readonly usage: AccessUsage,
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly chunks: Chunks
  ) {
    this.questions = new QuestionStore(settings.acl.usage.entries)
  }

  get isOn(): boolean {
    return this.live.current.acl.usage.enabled
  }

  start(): void {
    this.usage.onReport((report, minute) => this.add(report, minute))
    this.observe()
  }

  /** The current minute since the epoch. */
  get minute(): number {
    return Math.floor(this.clock.now() / MINUTE_MS)
  }

  add(report: UsageReport, minute: number): void {
    this.coverage.lose(minute, this.questions.add(report, minute))
    this.changed.add(Math.floor(minute / MINUTES_A_DAY))
  }

  /** Includes the questions up to now, and notes that they were recorded. */
  observe(): void {
    if (!this.isOn) return
    this.usage.report()
    this.coverage.observe(this.minute)
    this.changed.add(Math.floor(this.minute / MINUTES_A_DAY))
  }

  /** Deletes old days, and merges the questions of deleted tokens. Returns the first day that is kept. */
  async prune(): Promise<number> {
    const { questions, coverage } = this
    const today = Math.floor(this.minute / MINUTES_A_DAY)
    await this.chunks.run(
      questions.foldDeleted(
        accessor => accessor === ANONYMOUS_ACCESSOR || this.views.tokens.get(accessor) !== undefined
      )
    )
    let first = today - this.live.current.acl.usage.days + 1
    await this.chunks.run(questions.forgetBefore(first))
    while (questions.isFull && first < today) await this.chunks.run(questions.forgetBefore(++first))
    coverage.forgetBefore(first)
    return first
  }

  /** Sets the function that stores every day again. */
  onErased(store: () => Promise<void>): void {
    this.#erase = store
  }

  /** Erases the names of an erased resource, or the questions of a token; durable when it resolves. @throws errors of the file system */
  async erase(erasure: Erasure): Promise<void> {
    this.usage.report()
    if (isOriginErasure(erasure))
      await this.chunks.run(this.questions.erase(({ subject }) => subject.accessor === erasure.Accessor))
    else {
      const { Key: key, Prefix: prefix, Namespace, Partition, Scope } = erasure
      if (Scope === 'history') return
      await this.chunks.run(
        this.questions.erase(({ segment, namespace, partition }) => {
          if (partition !== Partition || (namespace !== Namespace && Namespace !== '')) return false
          // Longer names are recorded as prefixes of this length.
          const isCut = segment.length === LONGEST_NAME && (prefix ?? key)?.startsWith(segment) === true
          return (
            isCut || (prefix === undefined ? segment === key && segment !== '' : segment.startsWith(prefix))
          )
        })
      )
    }
    await this.#erase?.()
  }
}
