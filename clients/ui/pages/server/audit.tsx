// Who did what, when and why; or what was tried and denied. Bounded: so many lines at a time, from a time on.
import { useEffect, useState, useId } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../../components/heading.js'
import { Refusal } from '../../components/notice.js'
import { client } from '../../session/session.js'
import { useTenancy } from '../../session/tenancy.js'
import { useAction } from '../../session/use-action.js'
import { AuditLines } from './audit-lines.js'
import { auditIn, localTime, utcTime, type AuditResponse, type AuditRequest } from './audit-query.js'
import { kinds } from '../../resources/kinds.js'

/** What people ask the audit. */
interface Props {
  readonly question: AuditRequest
  readonly isAsking: boolean
  readonly ask: (question: AuditRequest) => void
}

const AuditForm = ({ question, isAsking, ask }: Props) => {
  const [asked, setAsked] = useState(question)
  const change = (changed: Partial<AuditRequest>): void => setAsked({ ...asked, ...changed })
  const topics = useId()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    ask(asked)
  }
  return (
    <form class="choices audit" onSubmit={submit}>
      <label>
        Token
        <input
          placeholder="AccessorID"
          value={asked.accessor}
          onInput={({ currentTarget }) => change({ accessor: currentTarget.value })}
        />
      </label>
      <label>
        Topic
        <input
          list={topics}
          placeholder="all"
          disabled={asked.denials}
          value={asked.topic}
          onInput={({ currentTarget }) => change({ topic: currentTarget.value })}
        />
      </label>
      <datalist id={topics}>
        {kinds.map(({ topic }) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
      <label>
        From
        <input
          type="datetime-local"
          value={asked.since}
          onInput={({ currentTarget }) => change({ since: currentTarget.value })}
        />
      </label>
      <label>
        To
        <input
          type="datetime-local"
          value={asked.until}
          onInput={({ currentTarget }) => change({ until: currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={asked.denials}
          onChange={({ currentTarget }) => change({ denials: currentTarget.checked })}
        />{' '}
        What was denied
      </label>
      <button type="submit" class="primary" disabled={isAsking}>
        Ask
      </button>
    </form>
  )
}

/** Lines that are shown at a time. */
const MOST = 200
const DAY_MS = 86_400_000

const NONE: AuditResponse = { lines: [], next: undefined, failure: undefined }

/** What the address asks; without a time it is of the last day. */
const questionIn = (query: Readonly<Record<string, string>>): AuditRequest => ({
  accessor: query['accessor'] ?? '',
  topic: query['topic'] ?? '',
  since: query['since'] ?? localTime(new Date(Date.now() - DAY_MS)),
  until: query['until'] ?? '',
  denials: query['denials'] === 'true'
})

export const AuditPage = () => {
  const { query, route, path } = useLocation()
  const { ns, partition } = useTenancy()
  const [answer, setAnswer] = useState<AuditResponse>()
  const [question, setQuestion] = useState(() => questionIn(query))
  const { failure, isRunning, run } = useAction()
  const read = (asked: AuditRequest, from: number | undefined): void =>
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
  const ask = (asked: AuditRequest): void => {
    const named = Object.entries(asked).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))
    route(`${path}?${new URLSearchParams(named)}`, true)
    setAnswer(undefined)
    setQuestion(asked)
  }
  const { next } = answer ?? NONE
  return (
    <main class="resource">
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
