// The rights that tokens and future logins gain and lose by a change.
import { Lifecycle, scoped } from 'tsyringe'
import type { Tenancy } from '../../../../events/envelope.js'
import { affectedGroups } from '../../../../projections/acl/impact/affected-groups.js'
import { postChange } from '../../../../projections/acl/impact/change-parts.js'
import { type AclChange, ChangedLinks } from '../../../../projections/acl/impact/changed-links.js'
import type { HeldResource } from '../../../../projections/acl/usage/holders.js'
import { getOrCreate } from '../../../../projections/maps.js'
import { spaceOf } from '../../../../projections/row-table.js'
import { UsageCollection, type CollectedUsage } from '../../../wire/collected-usage.js'
import type { RequestContext } from '../../../wire/request-context.js'
import { type ComparingThread, ImpactThread } from './impact-thread.js'
import { effectText, impactText } from './impact-views.js'

const MOST_EFFECTS = 100
const MOST_ATTEMPTS = 3

/** Collects what a change concerns here, in chunks, and has its rights compared on a thread. */
const comparedOn = async (
  thread: ComparingThread,
  request: RequestContext,
  change: AclChange,
  stored: CollectedUsage
): Promise<string> => {
  const readable = new Map<string, boolean>()
  const mayRead = (tenancy: Tenancy): boolean =>
    getOrCreate(readable, spaceOf(tenancy), () => request.may('acl', 'read', '', tenancy))
  const links = new ChangedLinks(change)
  const groups = await request.runBeside(affectedGroups(change, links, { now: request.now, mayRead }))
  const { datacenter, defaultPolicy } = change.before.settings
  thread.post({ kind: 'change', head: { datacenter, defaultPolicy, policies: links.onlyPolicies } })
  const posted = { changed: links.policies, groups, recorded: stored.questions }
  await request.runBeside(postChange(change, posted, parts => thread.post({ kind: 'parts', parts })))
  const { effects, ...summary } = await thread.compare()
  const shown: string[] = []
  while (shown.length < Math.min(effects, MOST_EFFECTS))
    shown.push(effectText(await thread.effect(shown.length), groups))
  return impactText(summary, shown, summary.omitted + effects - shown.length, stored)
}

@scoped(Lifecycle.ContainerScoped)
export class Impacts {
  constructor(
    private readonly collection: UsageCollection,
    private readonly thread: ImpactThread
  ) {}

  /**
   * Returns the effects of a change on the tokens and binding rules that the caller may read, as JSON.
   * @param held restricts the recorded questions to the tokens with the rights of one resource
   * @param since minutes since the epoch
   */
  async of(
    request: RequestContext,
    change: AclChange,
    held: HeldResource | undefined,
    since: number
  ): Promise<string> {
    const stored = await this.collection.of(request, held, since)
    return this.thread.run(request, thread => comparedOn(thread, request, change, stored))
  }

  /** As `of`. Repeats the comparison if links changed meanwhile; the last attempt counts. @throws Refusal as `decide` does */
  async stable(
    request: RequestContext,
    decide: () => AclChange | Promise<AclChange>,
    held: HeldResource | undefined,
    since: number
  ): Promise<string> {
    const { policies, roles, namespaces, bindingRules } = request.views
    const version = (): string => [policies, roles, namespaces, bindingRules].map(({ index }) => index).join()
    for (let attempt = 1; ; attempt++) {
      const current = version()
      const found = await this.of(request, await decide(), held, since)
      if (version() === current || attempt === MOST_ATTEMPTS) return found
    }
  }
}
