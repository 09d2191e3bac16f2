// Commits or denied attempts of a period, newest first. Older commits are read on demand.
import { useEffect, useMemo } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { client, readJson } from '../../session/session.js'
import { useTenancy } from '../../session/tenancy.js'
import { useAction, useValueFor } from '../../session/use-response.js'
import { MOMENT, type PointInTime } from '../../time-travel/as-of-state.js'
import type { AuditLine } from '../../../audit-lines.js'
import { auditIn, utcTime, type AuditRequest } from './audit-query.js'

const PAGE = 200
/** Commits of the first read, and how much larger each further one is until a page is full. */
const [WINDOW, GROWTH] = [500, 4]

const read = async (query: Query, signal: AbortSignal) => {
  const answer = await client.value.connection.request('GET', '/v1/event/audit', { query, signal })
  return auditIn(await answer.text())
}

const momentOf = (at: string | undefined, signal: AbortSignal) =>
  readJson<PointInTime>(MOMENT, { query: { at }, signal })

/** Returns the index after which a period begins; that of the whole log if it begins before the log. */
const startOf = async (
  since: string | undefined,
  { Oldest }: PointInTime,
  signal: AbortSignal
): Promise<number> => {
  if (since === undefined) return Oldest - 1
  const { Time } = await momentOf(String(Oldest), signal)
  return Date.parse(since) < Date.parse(Time) ? Oldest - 1 : (await momentOf(since, signal)).Index
}

/** What was read: of a period, the commits after `last`. */
interface LoadedAudit {
  readonly lines: readonly AuditLine[]
  readonly start: number
  readonly last: number
}

/** The lines are undefined until the first response. `loadOlder` is undefined if there are no older commits. */
export const useAudit = (request: AuditRequest, denials: boolean) => {
  const { ns, partition } = useTenancy()
  const inputs = [JSON.stringify(request), ns, partition, client.value]
  const [loaded, setLoaded] = useValueFor<LoadedAudit>(inputs)
  const { failure, isRunning, run } = useAction(inputs)
  const { accessor, topic, namespace, type } = request
  const by = accessor.trim() || undefined
  const [since, until] = useMemo(
    () => [utcTime(request.since), utcTime(request.until)],
    [request.since, request.until]
  )
  const selection = {
    accessor: by,
    topic: topic || undefined,
    type: type || undefined,
    ns: namespace || (ns === '*' ? undefined : ns),
    partition: partition === '*' ? undefined : partition
  }
  const readOlder = async (
    { lines, start, last: from }: LoadedAudit,
    signal: AbortSignal
  ): Promise<LoadedAudit> => {
    const found: AuditLine[] = []
    let last = from
    for (let size = WINDOW; last > start && found.length < PAGE; size *= GROWTH) {
      const first = Math.max(start + 1, last - size + 1)
      const page = await read({ ...selection, payload: true, since: first, until: last }, signal)
      if (page.failure !== undefined) throw new Error(page.failure)
      found.push(...page.lines.toReversed())
      last = first - 1
    }
    return { lines: [...lines, ...found], start, last }
  }
  const readFirst = async (signal: AbortSignal): Promise<LoadedAudit> => {
    if (denials) {
      const page = await read({ denials, accessor: by, since, until }, signal)
      return { lines: page.lines.toReversed(), start: 0, last: 0 }
    }
    const now = await momentOf(until, signal)
    const last = until === undefined ? now.Newest : now.Index
    return readOlder({ lines: [], start: await startOf(since, now, signal), last }, signal)
  }
  useEffect(() => run(async signal => setLoaded(await readFirst(signal))), inputs)
  return {
    lines: loaded?.lines,
    failure,
    isRunning,
    /** What selects the commits of the whole period. */
    query: { ...selection, since, until },
    loadOlder:
      loaded && loaded.last > loaded.start
        ? () => run(async signal => setLoaded(await readOlder(loaded, signal)))
        : undefined
  }
}
