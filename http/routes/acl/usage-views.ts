import { formatTime } from '../../../events/time.js'
import type { Interval } from '../../../projections/acl/usage/coverage.js'
import { MINUTES_A_DAY } from '../../../projections/acl/usage/day-counts.js'
import type { LinkUse } from '../../../projections/acl/usage/link-uses.js'
import type { RecordedQuestion } from '../../../projections/acl/usage/question.js'
import { placeText } from '../../../projections/acl/usage/rule-removal.js'
import type { RuleUse } from '../../../projections/acl/usage/rule-usage.js'
import type { SourcedRule } from '../../../projections/acl/merge.js'
import { ruleName } from '../../../projections/acl/rules/model.js'
import type { Views } from '../../../projections/read-models.js'
import type { CollectedUsage } from '../../wire/collected-usage.js'
import type { RequestContext } from '../../wire/request-context.js'
import { MINUTE_MS } from '../../wire/token-use.js'

const MOST_GAPS = 100
const MOST_USERS = 20

const timeOf = (minute: number): string => formatTime(minute * MINUTE_MS)

const recordedDays = ({ servers }: CollectedUsage): number =>
  Math.min(...servers.map(({ observed }) => observed.reduce((sum, [from, to]) => sum + to - from, 0))) /
  MINUTES_A_DAY

/** True if enough is recorded to call something unused. */
export const isSufficient = (collected: CollectedUsage, requiredDays: number): boolean =>
  collected.notHeard.length === 0 &&
  collected.servers.every(({ lost, observed }) => lost === 0 && observed.length > 0) &&
  recordedDays(collected) >= requiredDays

const gapsIn = (observed: readonly Interval[]) =>
  observed
    .slice(1)
    .map(([from], before) => ({ From: timeOf(observed[before]?.[1] ?? from), To: timeOf(from) }))

export const coverageView = (collected: CollectedUsage, requiredDays: number, now: string) => {
  const { servers, notHeard } = collected
  const begins = servers.flatMap(({ observed: [first] }) => (first ? [first[0]] : []))
  return {
    ...(begins.length === servers.length ? { Since: timeOf(Math.max(...begins)) } : {}),
    Until: now,
    RecordedDays: Math.round(recordedDays(collected) * 100) / 100,
    RequiredDays: requiredDays,
    Gaps: servers
      .flatMap(({ observed }) => gapsIn(observed))
      .toSorted((a, b) => (a.From < b.From ? -1 : Number(a.From > b.From)))
      .slice(-MOST_GAPS),
    LeftOut: servers.reduce((sum, { lost }) => sum + lost, 0),
    Servers: servers.map(({ name }) => name),
    NotHeard: notHeard,
    IsSufficient: isSufficient(collected, requiredDays)
  }
}

type State = 'used' | 'unused' | 'unknown'

const stateOf = (isNeeded: boolean, isSound: boolean): State =>
  isNeeded ? 'used' : isSound ? 'unused' : 'unknown'

const POLICY = /^policy (.*)$/
const IDENTITY = /^(service|node) identity (".*")$/

const sourceView = (source: string, { policies }: Pick<Views, 'policies'>) => {
  const id = POLICY.exec(source)?.[1]
  if (id !== undefined) return { Kind: 'policy', ID: id, Name: policies.get(id)?.policy.Name }
  const [, kind, name = '""'] = IDENTITY.exec(source) ?? []
  return kind === undefined ? { Kind: source } : { Kind: `${kind} identity`, Name: String(JSON.parse(name)) }
}

const ruleHead = ({ rule, source }: SourcedRule, views: Pick<Views, 'policies'>) => ({
  Text: ruleName(rule),
  Level: rule.level,
  ...(rule.line === 0 ? {} : { Line: rule.line, Column: rule.column }),
  Source: sourceView(source, views)
})

/** Names only the tokens that the caller may read. */
export const ruleView = (
  request: RequestContext,
  { placed, use, users, isNeeded, overlap }: RuleUse,
  isSound: boolean
) => {
  const { views } = request
  const named = users.filter(({ subject: { holdings } }) => request.may('acl', 'read', '', holdings.tenancy))
  return {
    ...ruleHead(placed, views),
    ...placeText(placed),
    State: stateOf(isNeeded, isSound),
    Count: use?.count ?? 0,
    ...(use ? { FirstUsed: timeOf(use.first), LastUsed: timeOf(use.last) } : {}),
    UsedBy: named.slice(0, MOST_USERS).map(({ subject: { accessor, datacenter }, count, last }) => ({
      AccessorID: accessor,
      Datacenter: datacenter,
      Count: count,
      LastUsed: timeOf(last)
    })),
    Users: users.length,
    ...(overlap ? { Overlap: ruleHead(overlap, views) } : {})
  }
}

export const linkView = ({ policies, roles }: Views, { link, isNeeded }: LinkUse, isSound: boolean) => {
  const { kind, id, name } = link
  const row = id === undefined ? undefined : kind === 'role' ? roles.get(id) : policies.get(id)
  return { Kind: kind, ID: id, Name: name ?? row?.link.Name, State: stateOf(isNeeded, isSound) }
}

export const questionView = ({
  resource,
  access,
  segment,
  extent,
  namespace,
  partition,
  isAllowed,
  count,
  first,
  last
}: RecordedQuestion) => ({
  Resource: resource,
  Access: access,
  Segment: segment,
  Extent: extent,
  Namespace: namespace,
  Partition: partition,
  Allowed: isAllowed,
  Count: count,
  First: timeOf(first),
  Last: timeOf(last)
})
