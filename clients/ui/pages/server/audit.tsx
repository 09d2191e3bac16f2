import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button, Field, Heading, Refusal, saveFile } from '../../design/index.js'
import { client } from '../../session/session.js'
import { useTenancy } from '../../session/tenancy.js'
import { useAction } from '../../session/use-action.js'
import { AuditLines } from './audit-lines.js'
import {
  auditCsv,
  auditIn,
  localTime,
  utcTime,
  type AuditResponse,
  type AuditRequest
} from './audit-query.js'
import { kinds } from '../../resources/kinds.js'

interface TimeFieldProps {
  readonly label: string
  readonly value: string
  readonly change: (time: string) => void
}

const TimeField = ({ label, value, change }: TimeFieldProps) => (
  <label>
    {label}
    <input type="datetime-local" value={value} onInput={({ currentTarget }) => change(currentTarget.value)} />
  </label>
)

const TOPICS = kinds.map(({ topic }) => topic)

interface Props {
  readonly initial: AuditRequest
  readonly hasTopics: boolean
  readonly isReading: boolean
  readonly read: (request: AuditRequest) => void
}

const AuditForm = ({ initial, hasTopics, isReading, read }: Props) => {
  const [request, setRequest] = useState(initial)
  const { accessor, topic, since, until } = request
  const set =
    (name: keyof AuditRequest) =>
    (value: string): void =>
      setRequest({ ...request, [name]: value })
  return (
    <form
      class="choices audit"
      onSubmit={event => {
        event.preventDefault()
        read(request)
      }}
    >
      <Field label="Token" placeholder="AccessorID" value={accessor} change={set('accessor')} />
      {hasTopics && (
        <Field label="Topic" options={TOPICS} placeholder="all" value={topic} change={set('topic')} />
      )}
      <TimeField label="From" value={since} change={set('since')} />
      <TimeField label="To" value={until} change={set('until')} />
      <button type="submit" class="primary" disabled={isReading}>
        Search
      </button>
    </form>
  )
}

const MOST = 200
const DAY_MS = 86_400_000

const NONE: AuditResponse = { lines: [], next: undefined, failure: undefined }

/** Returns the request in the address. The default time is the last day. */
const requestIn = (query: Readonly<Record<string, string>>): AuditRequest => ({
  accessor: query['accessor'] ?? '',
  topic: query['topic'] ?? '',
  since: query['since'] ?? localTime(new Date(Date.now() - DAY_MS)),
  until: query['until'] ?? ''
})

const AuditOf = ({ denials = false }: { readonly denials?: boolean }) => {
  const { query, route, path } = useLocation()
  const { ns, partition } = useTenancy()
  const [response, setResponse] = useState<AuditResponse>()
  const [request, setRequest] = useState(() => requestIn(query))
  const { failure, isRunning, run } = useAction()
  const readPage = (from: number | undefined): void =>
    run(async () => {
      const { accessor, topic, since, until } = request
      const ofCommits = {
        topic: topic || undefined,
        ns: ns === '*' ? undefined : ns,
        partition: partition === '*' ? undefined : partition,
        limit: MOST
      }
      const answer = await client.value.connection.request('GET', '/v1/event/audit', {
        query: {
          accessor: accessor.trim() || undefined,
          since: from ?? utcTime(since),
          until: utcTime(until),
          ...(denials ? { denials } : ofCommits)
        }
      })
      const page = auditIn(await answer.text())
      setResponse(before => ({
        ...page,
        lines: from === undefined ? page.lines : [...(before ?? NONE).lines, ...page.lines]
      }))
    })
  useEffect(() => readPage(undefined), [request, ns, partition, client.value])
  const read = (changed: AuditRequest): void => {
    const named = Object.entries(changed).flatMap(([name, value]) => (value ? [[name, value]] : []))
    route(`${path}?${new URLSearchParams(named)}`, true)
    setResponse(undefined)
    setRequest(changed)
  }
  const { next } = response ?? NONE
  return (
    <main class="resource">
      <header>
        <Heading>{denials ? 'Denials' : 'Audit'}</Heading>
      </header>
      <AuditForm initial={request} hasTopics={!denials} read={read} isReading={isRunning} />
      <Refusal text={failure ?? response?.failure} />
      {response && response.lines.length > 0 && (
        <p class="choices">
          <Button
            label="Export JSON"
            act={() => saveFile('audit.json', JSON.stringify(response.lines, undefined, 2))}
          />
          <Button label="Export CSV" act={() => saveFile('audit.csv', auditCsv(response.lines))} />
        </p>
      )}
      {response && <AuditLines lines={response.lines} most={MOST} />}
      {next !== undefined && (
        <p>
          <Button label="Load more" act={() => readPage(next)} disabled={isRunning} />
        </p>
      )}
    </main>
  )
}

export const AuditPage = () => <AuditOf key="audit" />

export const DenialsPage = () => <AuditOf key="denials" denials />
