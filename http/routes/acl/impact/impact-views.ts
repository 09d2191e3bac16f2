// The JSON of impacts.
import { formatTime } from '../../../../events/time.js'
import {
  type AffectedGroup,
  type AffectedSubject,
  MOST_NAMED
} from '../../../../projections/acl/impact/affected-groups.js'
import type { ImpactSummary } from '../../../../projections/acl/impact/compare-groups.js'
import type { ChangedQuestion, RecordedImpact } from '../../../../projections/acl/impact/recorded-answers.js'
import { tenancyViewOf } from '../../../../projections/tenancy-view.js'
import type { CollectedUsage } from '../../../wire/collected-usage.js'
import { MINUTE_MS } from '../../../wire/token-use.js'
import type { ComparedEffect } from './impact-messages.js'

const subjectView = (subject: AffectedSubject) => {
  const { tenancy } = subject.row
  if (subject.kind === 'binding rule') {
    const { ID, AuthMethod, Selector } = subject.row.rule
    const details = {
      Name: subject.name,
      ...tenancyViewOf(tenancy),
      AuthMethod,
      Selector: Selector || undefined
    }
    return { Kind: subject.kind, ID, ...details }
  }
  const { AccessorID, Description, AuthMethod } = subject.row.token
  return {
    Kind: AuthMethod === '' ? 'token' : 'login',
    ID: AccessorID,
    Name: Description || undefined,
    ...tenancyViewOf(tenancy),
    AuthMethod: AuthMethod || undefined
  }
}

/** Returns the JSON of an effect. */
export const effectText = (
  { datacenter, rights, omittedRights, count, groups: numbers }: ComparedEffect,
  groups: readonly AffectedGroup[]
): string => {
  const subjects = numbers.flatMap(number => groups[number]?.subjects ?? []).slice(0, MOST_NAMED)
  const head = JSON.stringify({
    Datacenter: datacenter,
    Tokens: count,
    Subjects: subjects.map(subjectView)
  })
  const omitted = omittedRights === 0 ? '' : `,"OmittedRights":${omittedRights}`
  return `${head.slice(0, -1)},"Rights":${rights}${omitted}}`
}

const timeOf = (minute: number): string => formatTime(minute * MINUTE_MS)

const changedView = ({ answer, accessor, datacenter, question }: ChangedQuestion) => {
  const { resource, access, segment, extent, partition, namespace, count, last } = question
  return {
    Answer: answer,
    AccessorID: accessor,
    Datacenter: datacenter,
    Resource: resource,
    Access: access,
    Segment: segment,
    Extent: extent,
    ...tenancyViewOf({ partition, namespace }),
    Count: count,
    LastAsked: timeOf(last)
  }
}

const recordedView = ({ counts, changed }: RecordedImpact, { servers, notHeard }: CollectedUsage) => {
  const begins = servers.map(({ observed: [first] }) => first?.[0])
  const since = begins.includes(undefined) ? undefined : Math.max(...begins.map(begin => begin ?? 0))
  return {
    Since: since === undefined ? undefined : timeOf(since),
    Gaps: servers.reduce((sum, { observed }) => sum + Math.max(0, observed.length - 1), 0),
    Lost: servers.reduce((sum, { lost }) => sum + lost, 0),
    Servers: servers.map(({ name }) => name),
    NotHeard: notHeard,
    Kept: counts.kept,
    Denied: counts.denied,
    Allowed: counts.allowed,
    Unknown: counts.unknown,
    Changed: changed.map(changedView)
  }
}

/** Returns the JSON of an impact. @param effects as JSON. @param others number of further effects */
export const impactText = (
  { tokens, datacenters, recorded }: ImpactSummary,
  effects: readonly string[],
  others: number,
  stored: CollectedUsage
): string => {
  const head = JSON.stringify({
    Tokens: tokens,
    Datacenters: datacenters,
    Omitted: others || undefined,
    Recorded: recordedView(recorded, stored)
  })
  return `${head.slice(0, -1)},"Effects":[${effects.join(',')}]}`
}
