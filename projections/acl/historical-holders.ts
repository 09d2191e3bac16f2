// The holders of a permission at an earlier index, whose state is folded from the commits up to it.
import { NO_CALLER, type Event, type Tenancy } from '../../events/envelope.js'
import { HistoryFold, type ErasedVersion } from '../history/history-fold.js'
import { factCommit, type Fact } from '../projection.js'
import { Views, type ViewOptions } from '../read-models.js'
import { runAtOnce, StepPace } from '../steps.js'
import type { AuthorizationQuestion } from './authorize-request.js'
import { holderParts, holderText } from './holder-views.js'
import { type Holder, holderKey, PermissionHolders } from './permission-holders.js'

/** A holder without its details. */
export interface HolderName {
  readonly kind: Holder['kind']
  readonly key: string
  readonly tenancy: Tenancy
}

export interface HistoricalQuestion {
  readonly settings: ViewOptions
  readonly question: AuthorizationQuestion
  /** Epoch milliseconds, at which tokens must have been valid. */
  readonly moment: number
  /** Of the resources that decide. */
  readonly topics: readonly string[]
}

/** A part of the state, in the order of the log. */
export type StatePart =
  | { readonly kind: 'facts'; readonly base: number; /** JSON of a list of facts. */ readonly rows: string }
  | { readonly kind: 'lines'; /** Of a stream. */ readonly bytes: Uint8Array }

/** As streams show it. */
interface StreamLine {
  readonly Index: number
  readonly Events: readonly (Omit<Event, 'Partition' | 'Payload'> & {
    readonly Partition?: string
    readonly Payload?: object
  })[]
}

export class HistoricalHolders {
  readonly #views: Views
  readonly #fold: HistoryFold
  readonly #decoder = new TextDecoder()
  readonly #permissions: PermissionHolders
  readonly #found: Holder[] = []

  constructor(private readonly asked: HistoricalQuestion) {
    this.#views = new Views(asked.settings)
    this.#fold = new HistoryFold(this.#views)
    this.#permissions = new PermissionHolders(this.#views, asked.question, asked.moment)
  }

  /** The index of the last change of what may hold the permission. */
  get index(): number {
    const { tokens, policies, roles, namespaces, bindingRules } = this.#views
    return Math.max(...[tokens, policies, roles, namespaces, bindingRules].map(({ index }) => index))
  }

  /** The state is incomplete if this is defined. */
  get firstErased(): ErasedVersion | undefined {
    return this.#fold.firstErased
  }

  add(part: StatePart): void {
    if (part.kind === 'facts') {
      const facts: readonly Fact[] = JSON.parse(part.rows)
      for (const fact of facts)
        if (this.asked.topics.includes(fact.Topic)) this.#fold.add(factCommit(fact, part.base))
      return
    }
    for (const text of this.#decoder.decode(part.bytes).split('\n')) {
      if (text === '') continue
      const { Index, Events }: StreamLine = JSON.parse(text)
      const events = Events.map(({ Partition = 'default', Payload = {}, ...event }) => ({
        ...event,
        Partition,
        Payload
      }))
      this.#fold.add({ Index, Time: '', By: NO_CALLER, Events: events })
    }
  }

  /** Decides for everything in the state, which must be complete. */
  decide(): void {
    runAtOnce(this.#permissions.decideLinks())
    const pace = new StepPace()
    for (const { behind } of holderParts(this.#views))
      for (const holder of behind(undefined))
        if (this.#permissions.has(holder, pace)) this.#found.push(holder)
  }

  /** Returns holders by their numbers, from 0. */
  names(from: number, count: number): readonly HolderName[] {
    return this.#found.slice(from, from + count).map(holder => ({
      kind: holder.kind,
      key: holderKey(holder),
      tenancy: holder.row.tenancy
    }))
  }

  /** Returns the JSON of holders by their numbers. */
  texts(numbers: readonly number[]): readonly string[] {
    return numbers.flatMap(number => {
      const holder = this.#found[number]
      return holder ? [holderText(holder, this.#permissions)] : []
    })
  }
}
