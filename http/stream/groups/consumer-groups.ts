// The consumer groups of the leader (docs/reference/consumer-groups.md).
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { Subscriptions } from '../../../actors/subscriptions.js'
import { CURSOR_TOPIC, type Cursor, isCursorEvent } from '../../../events/cursor.js'
import type { Event } from '../../../events/envelope.js'
import type { LogWriter } from '../../../events/log/log.js'
import { EVENT_LOG } from '../../../server/settings/ports.js'
import { GroupDependencies } from './group-dependencies.js'
import { GroupMetrics } from './group-metrics.js'
import { groupNotStored, GroupRun } from './group-run.js'

const groupChanged = (): Refusal =>
  new Refusal(
    'cursor.conflict',
    'The cursor was changed meanwhile: units that were not acknowledged are delivered again'
  )

/** A group is opened by its first request, and costs nothing before. */
@scoped(Lifecycle.ContainerScoped)
export class ConsumerGroups {
  readonly #runs = new Map<string, GroupRun>()
  readonly #subscriptions = new Subscriptions()
  #isStopped = true

  constructor(
    @inject(EVENT_LOG) private readonly log: Pick<LogWriter, 'onDurable'>,
    private readonly dependencies: GroupDependencies,
    private readonly metrics: GroupMetrics
  ) {
    metrics.measure(
      () => !this.#isStopped,
      name => this.#runs.get(name)
    )
  }

  start(): void {
    this.#isStopped = false
    const { committer } = this.dependencies
    this.#subscriptions.add(
      this.log.onDurable(() => {
        for (const run of this.#runs.values()) run.wake()
      }),
      committer.on(CURSOR_TOPIC, event => this.#follow(event))
    )
    this.#subscriptions.onRebuilt(committer, () => this.#abandonAll(groupNotStored()))
  }

  stop(): void {
    this.#isStopped = true
    this.#subscriptions.end()
    for (const run of this.#runs.values()) run.stop()
    this.#runs.clear()
  }

  /** Returns the open group of a cursor. @throws Refusal `conflict` for a cursor without a group; `unavailable` */
  open(cursor: Cursor): GroupRun {
    const { Name, Group } = cursor
    if (!Group)
      throw new Refusal(
        'cursor.conflict',
        `Cursor "${Name}" has no Group: read it by GET /v1/event/stream?cursor=`
      )
    if (this.#isStopped) throw new Refusal('cursor.unavailable', 'This server does not lead: try again later')
    const known = this.#runs.get(Name)
    if (known) return known
    const run = new GroupRun(this.dependencies, cursor, Group, {
      countRedelivery: this.metrics.countRedelivery,
      onOver: () => {
        if (this.#runs.get(Name) === run) this.#runs.delete(Name)
      }
    })
    this.#runs.set(Name, run)
    return run
  }

  /** A written cursor has other rules, owners or positions. */
  #follow(event: Event): void {
    if (!isCursorEvent(event)) return
    if (event.Type === 'CursorUpserted' || event.Type === 'CursorDeleted')
      this.#abandon(event.Key, groupChanged())
  }

  #abandonAll(refusal: Refusal): void {
    for (const name of this.#runs.keys()) this.#abandon(name, refusal)
  }

  #abandon(name: string, refusal: Refusal): void {
    const run = this.#runs.get(name)
    this.#runs.delete(name)
    run?.abandon(refusal)
  }
}
