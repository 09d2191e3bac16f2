import type { Tenancy } from '../../events/envelope.js'
import type { Access, Authorizer, Resource, Ruling } from '../../projections/acl/authorizer.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { CreditedAuthorizer, FilterUses } from '../../projections/acl/usage/filter-uses.js'
import type { Question } from '../../projections/acl/usage/question.js'
import type { Settings } from '../../server/settings/settings.js'
import type { AccessUsage } from './access-usage.js'

/** Records the permission questions of one request. */
export class RequestUsage {
  /** False for decisions that use no right: dry runs, repeats, and what is read again while a query blocks. */
  isOn: boolean
  #filters: FilterUses | undefined
  #permitted: Question[] | undefined

  constructor(
    private readonly usage: AccessUsage,
    private readonly caller: { readonly authority: Authority; readonly settings: Settings }
  ) {
    this.isOn = usage.isReceived && caller.settings.acl.usage.enabled
  }

  /** Ends the count of decisions: further ones repeat those before. */
  end(): void {
    this.isOn = false
  }

  /** Counts a decision for the request or for an operation of it. */
  count(
    token: Authority['token'],
    resource: Resource,
    access: Access,
    segment: string,
    tenancy: Tenancy,
    isAllowed: boolean
  ): void {
    if (!this.isOn || !token) return
    this.usage.counter.count(token, resource, access, segment, tenancy, isAllowed)
    if (!isAllowed || !this.#permitted) return
    const { partition, namespace } = tenancy
    this.#permitted.push({ resource, access, segment, extent: 'one', partition, namespace })
  }

  /** Counts a decision that showed a row. */
  countRow(ruling: Ruling, resource: Resource, access: Access, segment: string, tenancy: Tenancy): void {
    if (this.isOn) this.#uses.note(ruling, resource, access, segment, tenancy)
  }

  /** The authorizer with decisions that count as those for rows. */
  get credited(): Authorizer {
    const { authorizer } = this.caller.authority
    return this.isOn
      ? new CreditedAuthorizer(authorizer, this.#uses, this.usage.countFor(this.caller.authority))
      : authorizer
  }

  /** Declares that the response lists resources with a prefix. */
  listsBelow(prefix: string): void {
    if (this.isOn) this.#uses.prefix = prefix
  }

  /** The questions by which rows of the response were shown so far. */
  get rowQuestions(): readonly Question[] {
    return this.#filters?.questions ?? []
  }

  /** Begins to collect the questions of a response that will be cached. */
  collect(): void {
    this.#permitted = []
  }

  /** The allowed questions since `collect`, and those by which rows were shown. */
  get collected(): readonly Question[] {
    return [...(this.#permitted ?? []), ...this.rowQuestions]
  }

  /** Counts the questions that a cached response was created with. */
  credit(questions: readonly Question[]): void {
    // A cached query with a token of its own is returned to unknown callers, too.
    if (!this.isOn || questions.length === 0) return
    const count = this.usage.countFor(this.caller.authority)
    for (const question of questions) count(question)
  }

  get #uses(): FilterUses {
    return (this.#filters ??= new FilterUses(this.usage.countFor(this.caller.authority)))
  }
}
