// The expected messages of a reader, derived from the documentation for each event of the log.
import { isDeepStrictEqual } from 'node:util'
import { lifecycles } from '../../../../actors/aggregates.js'
import { isCheckEvent } from '../../../../events/check.js'
import { eventText } from '../../../../events/codec.js'
import type { Commit, Event } from '../../../../events/envelope.js'
import { isPolicyEvent } from '../../../../events/policy.js'
import { eventViewOf } from '../../../../projections/stream/event-view.js'
import { isTopic } from '../../../../projections/stream/topics.js'
import type { Choice, ReaderPlan, ReaderPermissions } from './plan.js'
import type { Noted, NotedSnapshot, Reader } from './reader.js'
import type { World } from './world.js'

const isAsked = (choices: readonly Choice[], { Topic, Key, FilterKeys }: Event): boolean =>
  choices.length === 0 ||
  choices.some(
    ({ topic, key }) =>
      (topic === '*' || topic === 'any' || topic === Topic) &&
      (key === undefined ||
        key === Key ||
        FilterKeys?.includes(key) === true ||
        (key.endsWith('/') && Key.startsWith(key)))
  )

const sees = ({ folders, nodes }: ReaderPermissions, event: Event): boolean => {
  if (event.Topic === 'KV') return folders.some(folder => event.Key.startsWith(folder))
  if (isCheckEvent(event)) return nodes && event.Payload.Check.ServiceName === ''
  return event.Topic === 'Node' && nodes
}

/** Permissions of the limited token from an index on. */
interface Version {
  readonly from: number
  readonly number: number
  readonly rights: ReaderPermissions
}

export class Oracle {
  readonly #versions: readonly Version[]

  constructor(
    private readonly commits: readonly Commit[],
    world: World
  ) {
    this.#versions = commits.flatMap(({ Index, Events }) =>
      Events.flatMap(event => {
        if (!isPolicyEvent(event) || event.Payload.ACLPolicy.Name !== 'limited') return []
        const number = Number(event.Payload.ACLPolicy.Description)
        const rights = world.rightsNumbered(number)
        return rights ? [{ from: Index, number, rights }] : []
      })
    )
  }

  /** @throws Error when the reader got other messages than expected */
  check({ plan, begin, notes, snapshot, fault }: Reader): void {
    if (fault) throw fault
    if (begin === undefined) throw new Error('the reader never began')
    if (plan.start === 'beginning' && begin !== 0) throw new Error(`it began behind ${begin}`)
    if (snapshot) this.#checkSnapshot(plan, snapshot)
    let next = begin + 1
    for (const note of notes)
      for (; next <= note.index; next++) {
        const commit = this.commits[next - 1]
        if (!commit) throw new Error(`commit ${next} was reported and is not in the log`)
        const got = next === note.index ? note.line : undefined
        if (!this.#possible(plan, commit, note.asked).has(got))
          throw new Error(`commit ${next} came as ${got ?? 'nothing'}: ${JSON.stringify(commit)}`)
      }
  }

  /** Returns the possible messages for a commit, given the number of changes of permissions requested by its arrival. */
  #possible(plan: ReaderPlan, { Index, Events }: Commit, asked: number): ReadonlySet<string | undefined> {
    return new Set(
      this.#rightsOf(plan, Index, asked).map(rights => {
        const events = Events.filter(event => this.#gets(plan, rights, event))
        if (events.length === 0) return undefined
        return `{"Index":${Index},"Events":[${events.map(event => eventText(eventViewOf(event), Index)).join(',')}]}`
      })
    )
  }

  #gets({ choices }: ReaderPlan, rights: ReaderPermissions | 'all', event: Event): boolean {
    return isTopic(event.Topic) && isAsked(choices, event) && (rights === 'all' || sees(rights, event))
  }

  /** Returns the reader's permissions at an index, and the later ones among the requested changes. */
  #rightsOf({ isLimited }: ReaderPlan, index: number, asked: number): readonly (ReaderPermissions | 'all')[] {
    if (!isLimited) return ['all']
    const before = this.#versions.findLast(({ from }) => from <= index)
    const after = this.#versions.filter(({ from, number }) => from > index && number < asked)
    return [...(before ? [before] : []), ...after].map(({ rights }) => rights)
  }

  /** Each resource at most once, as its last event at the mark or before; what has not changed since, exactly once. */
  #checkSnapshot(plan: ReaderPlan, { lines, at, asked }: NotedSnapshot): void {
    const [latest, ever] = [this.#state(at), this.#state(Infinity)]
    const left = new Map<string, Noted>()
    for (const note of lines) {
      if (left.has(note.line ?? '')) throw new Error(`twice in a snapshot: ${note.line}`)
      left.set(note.line ?? '', note)
    }
    const rights = this.#rightsOf(plan, at, asked)
    for (const [name, { event, index }] of latest) {
      const may = rights.map(each => this.#gets(plan, each, event))
      const line = `{"Index":${index},"Events":[${eventText(eventViewOf(event), index)}]}`
      const isThere = left.delete(line)
      if (isThere && !may.includes(true)) throw new Error(`seen without right in a snapshot: ${line}`)
      const isSame = isDeepStrictEqual(ever.get(name), { event, index })
      if (!isThere && isSame && !may.includes(false)) throw new Error(`not in the snapshot: ${line}`)
    }
    const [wrong] = left.keys()
    if (wrong !== undefined) throw new Error(`in a snapshot of ${at}, and was not so then: ${wrong}`)
  }

  /** Returns the last event of everything that existed at an index. */
  #state(at: number): ReadonlyMap<string, { readonly event: Event; readonly index: number }> {
    const last = new Map<string, { readonly event: Event; readonly index: number }>()
    for (const { Index, Events } of this.commits)
      if (Index <= at)
        for (const event of Events) {
          const name = lifecycles.identityOf(event)
          if (lifecycles.isEnding(event)) last.delete(name)
          else last.set(name, { event, index: Index })
        }
    return last
  }
}
