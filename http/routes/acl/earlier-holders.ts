// The holders of a permission at an earlier index. One thread reads the log, and another one folds the state and decides.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { AUTH_METHOD_TOPIC } from '../../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import type { Tenancy } from '../../../events/envelope.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import { TOKEN_TOPIC } from '../../../events/token.js'
import type { AuthorizationQuestion } from '../../../projections/acl/authorize-request.js'
import { allowEverything } from '../../../projections/acl/authorizer.js'
import type { HolderName } from '../../../projections/acl/historical-holders.js'
import { holderPartName } from '../../../projections/acl/holder-views.js'
import { getOrCreate } from '../../../projections/maps.js'
import { ALL_TENANCIES } from '../../../projections/stream/required-permissions.js'
import { newlineDelimited, type Subscription } from '../../../projections/stream/subscription.js'
import { TopicFilter } from '../../../projections/stream/topic-filter.js'
import { erasedVersion, requireRetained } from '../../history/historical-state-reader.js'
import { BaseSnapshotResources } from '../../history/versions.js'
import { CATCH_UP, CatchUpFailed, type CatchUpSource } from '../../stream/catch-up/source.js'
import { serializedRows } from '../../wire/reads/json-list.js'
import { type PagePart, readableSteps } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { jsonText } from '../../wire/response.js'
import type { ReadState } from '../../wire/reads/blocking.js'
import { ImpactThread, type ComparingThread } from './impact/impact-thread.js'

const TOPICS = [TOKEN_TOPIC, POLICY_TOPIC, ROLE_TOPIC, NAMESPACE_TOPIC, AUTH_METHOD_TOPIC, BINDING_RULE_TOPIC]

/** Of one message of the thread. */
const MOST_NAMES = 1000
const MOST_TEXTS = 100

const SUBSCRIPTION: Subscription = {
  filter: new TopicFilter(TOPICS.map(topic => ({ topic, key: undefined }))),
  tenancy: { partition: ALL_TENANCIES, namespace: ALL_TENANCIES },
  framing: newlineDelimited,
  sees: 'any',
  meta: false
}

interface NumberedHolder extends HolderName {
  readonly number: number
}

/** Equal for the same holder at two indexes. */
export const holderId = ({ kind, key }: Pick<HolderName, 'kind' | 'key'>): string => `${kind} ${key}`

/** Returns the holders by the parts of a list, each in the order of their keys. */
const partsOf = (names: readonly HolderName[]): readonly PagePart<NumberedHolder>[] => {
  const parts = new Map<string, NumberedHolder[]>()
  for (const [number, name] of names.entries())
    getOrCreate(parts, holderPartName(name.kind, name.tenancy), () => []).push({ ...name, number })
  return Array.from(parts, ([name, rows]) => ({
    name,
    behind: after => (after === undefined ? rows : rows.filter(({ key }) => key > after))
  }))
}

@scoped(Lifecycle.ContainerScoped)
export class EarlierHolders {
  constructor(
    private readonly thread: ImpactThread,
    private readonly base: BaseSnapshotResources,
    @inject(CATCH_UP) private readonly catchUp: CatchUpSource
  ) {}

  /**
   * Returns the IDs of all holders at the index of a request.
   * @throws Refusal `gone` if a version that decides was erased; `unavailable` if a thread ends; `too-many`
   */
  async ids(request: RequestContext, question: AuthorizationQuestion): Promise<ReadonlySet<string>> {
    return this.thread.run(request, async thread => {
      await this.#decide(thread, request, question)
      return new Set((await namesOn(thread)).map(holderId))
    })
  }

  /** Returns the list of the holders at the index of a request. @param others IDs of holders that are left out. @throws Refusal as `ids` does */
  async list(
    request: RequestContext,
    question: AuthorizationQuestion,
    others: ReadonlySet<string> | undefined,
    mayRead: (tenancy: Tenancy) => boolean
  ): Promise<ReadState> {
    return this.thread.run(request, async thread => {
      const { index } = await this.#decide(thread, request, question)
      const found = await request.runBeside(
        readableSteps(request, {
          parts: partsOf(await namesOn(thread)),
          keyOf: ({ key }) => key,
          passes: name => others?.has(holderId(name)) !== true,
          may: ({ tenancy }) => mayRead(tenancy)
        })
      )
      const numbers = found.entries.map(({ number }) => number)
      const texts = await textsOn(thread, numbers)
      const body = await request.runBeside(serializedRows(texts, text => text))
      return { index, watch: [], answer: jsonText(body, found.headers) }
    })
  }

  async #decide(
    thread: ComparingThread,
    request: RequestContext,
    question: AuthorizationQuestion
  ): Promise<{ readonly index: number }> {
    const { views, past } = request
    const [index, moment] = [past?.index ?? views.index, past?.moment ?? request.now]
    thread.post({ kind: 'state', asked: { settings: views.settings, question, moment, topics: TOPICS } })
    const base = await this.base.index()
    requireRetained(index, base)
    for await (const rows of this.base.rows(base, TOPICS))
      await thread.ask({ kind: 'fold', part: { kind: 'facts', base, rows } }, 'folded')
    await this.#foldLog(thread, request, { from: base + 1, to: index })
    const decided = await thread.ask({ kind: 'decide' }, 'decided')
    if (decided.erased) throw erasedVersion(decided.erased)
    return decided
  }

  async #foldLog(
    thread: ComparingThread,
    request: RequestContext,
    { from, to }: { readonly from: number; readonly to: number }
  ): Promise<void> {
    const check = request.readerCheck()
    const reading = this.catchUp.open(SUBSCRIPTION)
    try {
      for (let next = from; next <= to;) {
        check()
        const piece = await reading.next({ from: next, to, authorizer: allowEverything })
        const { bytes } = piece
        if (bytes) await thread.ask({ kind: 'fold', part: { kind: 'lines', bytes } }, 'folded')
        next = piece.next
      }
    } catch (error) {
      if (!(error instanceof CatchUpFailed)) throw error
      throw new Refusal(
        'read.unavailable',
        'The thread that reads the log ended before it answered: retry later'
      )
    } finally {
      reading.close()
    }
  }
}

const namesOn = async (thread: ComparingThread): Promise<readonly HolderName[]> => {
  const all: HolderName[] = []
  for (;;) {
    const { names } = await thread.ask({ kind: 'names', from: all.length, count: MOST_NAMES }, 'names')
    all.push(...names)
    if (names.length < MOST_NAMES) return all
  }
}

const textsOn = async (thread: ComparingThread, numbers: readonly number[]): Promise<readonly string[]> => {
  const all: string[] = []
  for (let from = 0; from < numbers.length; from += MOST_TEXTS) {
    const some = numbers.slice(from, from + MOST_TEXTS)
    all.push(...(await thread.ask({ kind: 'texts', numbers: some }, 'texts')).texts)
  }
  return all
}
