// Records the permission questions that requests ask. It is not part of the log, since a question changes nothing.
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { CreditedAuthorizer, FilterUses, type CountAllowed } from '../../projections/acl/usage/filter-uses.js'
import type { Authorizer } from '../../projections/acl/authorizer.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { QuestionCounter, type UsageReport } from '../../projections/acl/usage/question-counter.js'
import type { Question } from '../../projections/acl/usage/question.js'
import { LiveSettings } from '../../server/settings/live-settings.js'
import { MINUTE_MS } from './token-use.js'

/** Questions are reported at the latest after this time in ms. */
const REPORT_MS = 1000

/** @param minute since the epoch, of all questions of the report */
type ReceiveReport = (report: UsageReport, minute: number) => void

const NOT_COUNTED: CountAllowed = () => undefined

@scoped(Lifecycle.ContainerScoped)
export class AccessUsage {
  readonly counter = new QuestionCounter(isFull => this.#wake(isFull))
  #receive: ReceiveReport | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly live: LiveSettings,
    private readonly clock: Clock
  ) {}

  get isOn(): boolean {
    return this.#receive !== undefined && this.live.current.acl.usage.enabled
  }

  /** Sets the only receiver of reports; without one, nothing is recorded. */
  onReport(receive: ReceiveReport): void {
    this.#receive = receive
  }

  /** Reports the questions since the last report. */
  report(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const report = this.counter.take()
    if (report.tokens.length > 0 || report.leftOut > 0)
      this.#receive?.(report, Math.floor(this.clock.now() / MINUTE_MS))
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

  #count(token: NonNullable<Authority['token']>, question: Question) {
    const { resource, access, segment, extent } = question
    return this.counter.count(token, resource, access, segment, question, true, extent)
  }

  #wake(isFull: boolean): void {
    if (isFull) this.report()
    else this.#timer ??= setTimeout(() => this.report(), REPORT_MS).unref()
  }
}
