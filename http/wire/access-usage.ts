// Records the permission questions that requests ask. It is not part of the log, since a question changes nothing.
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { CreditedAuthorizer, FilterUses, type CountAllowed } from '../../projections/acl/usage/filter-uses.js'
import type { Authorizer } from '../../projections/acl/authorizer.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { QuestionCounter, type UsageReport } from '../../projections/acl/usage/question-counter.js'
import type { Question } from '../../projections/acl/usage/question.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { MINUTE_MS } from './token-use.js'

/** Questions are reported at the latest after this time in ms. */
const REPORT_MS = 1000

/** @param minute since the epoch, of all questions of the report */
type ReceiveReport = (report: UsageReport, minute: number) => void

/** Rows of a list whose rules count as used. */
export const MOST_CREDITED = 64

const NOT_COUNTED: CountAllowed = () => undefined

interface CreditedList {
  readonly authorizer: Authorizer
  readonly questions: readonly Question[]
}

@scoped(Lifecycle.ContainerScoped)
export class AccessUsage {
  readonly counter = new QuestionCounter(isFull => this.#wake(isFull))
  /** The questions by which an authorizer showed the rows of lists that never change. */
  readonly #ofLists = new WeakMap<readonly object[], CreditedList>()
  /** True if there is a receiver of reports; without one, nothing is recorded. */
  isReceived = false
  #receive: ReceiveReport = () => undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly live: LiveSettings,
    private readonly clock: Clock
  ) {}

  private get isOn(): boolean {
    return this.isReceived && this.live.current.acl.usage.enabled
  }

  /** Sets the only receiver of reports. */
  onReport(receive: ReceiveReport): void {
    this.isReceived = true
    this.#receive = receive
  }

  /** Reports the questions since the last report. */
  report(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const report = this.counter.take()
    if (report.tokens.length > 0 || report.leftOut > 0)
      this.#receive(report, Math.floor(this.clock.now() / MINUTE_MS))
  }

  /** Returns the function that counts an allowed question of a caller. */
  countFor({ token }: Pick<Authority, 'token'>): CountAllowed {
    if (!token || !this.isOn) return NOT_COUNTED
    return question => this.#count(token, question)
  }

  /** Returns an authorizer for a lookup outside of a request, such as by DNS, which counts as one. */
  credited(authority: Authority): Authorizer {
    const count = this.countFor(authority)
    if (count === NOT_COUNTED) return authority.authorizer
    return new CreditedAuthorizer(authority.authorizer, new FilterUses(count), count)
  }

  /**
   * Counts the decisions that showed the rows of a list, which never changes: they are not made again if the list was the last that this caller's
   * permissions showed.
   */
  creditList<Row extends object>(
    authority: Authority,
    list: readonly Row[],
    test: (authorizer: Authorizer) => (row: Row) => boolean
  ): void {
    const count = this.countFor(authority)
    if (count === NOT_COUNTED || list.length === 0) return
    const { authorizer } = authority
    const known = this.#ofLists.get(list)
    if (known?.authorizer === authorizer) for (const question of known.questions) count(question)
    else {
      const uses = new FilterUses(count)
      list.slice(0, MOST_CREDITED).every(test(new CreditedAuthorizer(authorizer, uses, count)))
      this.#ofLists.set(list, { authorizer, questions: uses.questions })
    }
  }

  #count(token: NonNullable<Authority['token']>, question: Question) {
    const { resource, access, segment, extent } = question
    return this.counter.count(token, resource, access, segment, question, true, extent)
  }

  #wake(isFull: boolean): void {
    if (isFull) this.report()
    else this.#timer ??= setTimeout(() => this.report(), REPORT_MS).unref()
  }
}
