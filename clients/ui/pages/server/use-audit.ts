// Commits or denied attempts of a period, newest first. Older commits are read on demand.
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { client } from '../../session/session.js'
import { useTenancy } from '../../session/tenancy.js'
import { useAction } from '../../session/use-action.js'
import type { PointInTime } from '../../time-travel/as-of-state.js'
import { actionOf } from '../commit-line.js'
import { auditIn, utcTime, type AuditLine, type AuditRequest } from './audit-query.js'

const PAGE = 200
/** Commits of the first read, and how much larger each further one is until a page is full. */
const [WINDOW, GROWTH] = [500, 4]

const read = async (query: Query) => {
  const answer = await client.value.connection.request('GET', '/v1/event/audit', { query })
  return auditIn(await answer.text())
}

const momentAt = async (at?: string): Promise<PointInTime> => {
  const answer = await client.value.connection.request('GET', '/v1/event/moment', { query: { at } })
  return answer.json<PointInTime>()
}

/** Returns the index after which a period begins; that of the whole log if it begins before the log. */
const startOf = async (since: string | undefined, { Oldest }: PointInTime): Promise<number> => {
  if (since === undefined) return Oldest - 1
  const { Time } = await momentAt(String(Oldest))
  return Date.parse(since) < Date.parse(Time) ? Oldest - 1 : (await momentAt(since)).Index
}

const isSelected =
  ({ action }: AuditRequest) =>
  ({ Index = 0, Events = [] }: AuditLine): boolean =>
    action === '' || Events.some(event => actionOf(event, Index) === action)

interface Audit {
  /** Undefined until the first response. */
  readonly lines: readonly AuditLine[] | undefined
  readonly failure: string | undefined
  readonly isRunning: boolean
  /** Absent if there are no older commits. */
  readonly loadOlder?: () => void
}

export const useAudit = (request: AuditRequest, denials: boolean): Audit => {
  const { ns, partition } = useTenancy()
  const [lines, setLines] = useState<readonly AuditLine[]>()
  const [left, setLeft] = useState<{ readonly start: number; readonly until: number }>()
  const { failure, isRunning, run } = useAction()
  const { accessor, topic, namespace } = request
  const by = accessor.trim() || undefined
  const readOlder = async (before: readonly AuditLine[], start: number, from: number): Promise<void> => {
    const found: AuditLine[] = []
    let until = from
    for (let size = WINDOW; until > start && found.length < PAGE; size *= GROWTH) {
      const since = Math.max(start + 1, until - size + 1)
      const place = namespace || (ns === '*' ? undefined : ns)
      const page = await read({
        accessor: by,
        topic: topic || undefined,
        ns: place,
        partition: partition === '*' ? undefined : partition,
        payload: true,
        since,
        until
      })
      if (page.failure !== undefined) throw new Error(page.failure)
      found.push(...page.lines.toReversed().filter(isSelected(request)))
      until = since - 1
    }
    setLines([...before, ...found])
    setLeft({ start, until })
  }
  useEffect(() => {
    setLines(undefined)
    setLeft(undefined)
    run(async () => {
      const [since, until] = [utcTime(request.since), utcTime(request.until)]
      if (denials) {
        const page = await read({ denials, accessor: by, since, until })
        return setLines(page.lines.toReversed())
      }
      const now = await momentAt(until)
      await readOlder([], await startOf(since, now), until === undefined ? now.Newest : now.Index)
    })
  }, [JSON.stringify(request), ns, partition, client.value])
  return {
    lines,
    failure,
    isRunning,
    ...(lines && left && left.until > left.start
      ? { loadOlder: () => run(() => readOlder(lines, left.start, left.until)) }
      : {})
  }
}
