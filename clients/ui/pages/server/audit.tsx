// Who did what, when and why; or what was tried and denied. Bounded: so many lines at a time, from a time on.
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../../parts/heading.js'
import { Refusal } from '../../parts/refusal.js'
import { client } from '../../session/session.js'
import { useTenancy } from '../../session/tenancy.js'
import { useDeed } from '../../session/use-deed.js'
import { AuditForm } from './audit-form.js'
import { AuditLines } from './audit-lines.js'
import { auditIn, localTime, utcTime, type AuditAnswer, type AuditQuestion } from './audit-query.js'

/** Lines that are shown at a time. */
const MOST = 200
const DAY_MS = 86_400_000

const NONE: AuditAnswer = { lines: [], next: undefined, failure: undefined }

/** What the address asks; without a time it is of the last day. */
const questionIn = (query: Readonly<Record<string, string>>): AuditQuestion => ({
  accessor: query['accessor'] ?? '',
  topic: query['topic'] ?? '',
  since: query['since'] ?? localTime(new Date(Date.now() - DAY_MS)),
  until: query['until'] ?? '',
  denials: query['denials'] === 'true'
})

export const AuditPage = () => {
  const { query, route, path } = useLocation()
  const { ns, partition } = useTenancy()
  const [answer, setAnswer] = useState<AuditAnswer>()
  const [question, setQuestion] = useState(() => questionIn(query))
  const { failure, isRunning, run } = useDeed()
  const read = (asked: AuditQuestion, from: number | undefined): void =>
    run(async () => {
      const { accessor, topic, since, until, denials } = asked
      const ofCommits = {
        topic: topic || undefined,
        ns: ns === '*' ? undefined : ns,
        partition: partition === '*' ? undefined : partition,
        limit: MOST
      }
      const found = await client.value.connection.request('GET', '/v1/event/audit', {
        query: {
          accessor: accessor.trim() || undefined,
          since: from ?? utcTime(since),
          until: utcTime(until),
          ...(denials ? { denials } : ofCommits)
        }
      })
      const more = auditIn(await found.text())
      setAnswer(before => ({
        ...more,
        lines: from === undefined ? more.lines : [...(before ?? NONE).lines, ...more.lines]
      }))
    })
  useEffect(() => read(question, undefined), [question, ns, partition, client.value])
  const ask = (asked: AuditQuestion): void => {
    const named = Object.entries(asked).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))
    route(`${path}?${new URLSearchParams(named)}`, true)
    setAnswer(undefined)
    setQuestion(asked)
  }
  const { next } = answer ?? NONE
  return (
    <main class="thing">
      <header>
        <Heading>Audit</Heading>
      </header>
      <AuditForm question={question} ask={ask} isAsking={isRunning} />
      <Refusal text={failure ?? answer?.failure} />
      {answer && <AuditLines lines={answer.lines} most={MOST} />}
      {next !== undefined && (
        <p>
          <button type="button" disabled={isRunning} onClick={() => read(question, next)}>
            Read on
          </button>
        </p>
      )}
    </main>
  )
}
