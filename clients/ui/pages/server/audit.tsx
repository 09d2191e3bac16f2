import { useLocation } from 'preact-iso'
import { Button, Heading, Presets, Refusal, saveFile, Select, tokenName } from '../../design/index.js'
import { kinds } from '../../resources/kinds.js'
import { withTenancy } from '../../session/tenancy.js'
import { actionOf } from '../commit-line.js'
import { AuditLines, DenialLines } from './audit-lines.js'
import { auditCsv, type AuditLine, type AuditRequest } from './audit-query.js'
import { useAudit } from './use-audit.js'

const DEFAULT = '24h'
const FIELDS = ['accessor', 'topic', 'namespace', 'action', 'since', 'until'] as const

/** Returns the request in the address. The default period is the last day. */
const requestIn = (query: Readonly<Record<string, string>>): AuditRequest => {
  const { accessor = '', topic = '', namespace = '', action = '', since = DEFAULT, until = '' } = query
  return { accessor, topic, namespace, action, since, until }
}

interface Facet {
  readonly field: 'accessor' | 'topic' | 'namespace' | 'action'
  readonly title: string
  readonly valuesOf: (line: AuditLine) => readonly string[]
  readonly nameOf?: (value: string) => string
}

const FACETS: readonly Facet[] = [
  {
    field: 'accessor',
    title: 'Who',
    valuesOf: ({ By, AccessorID }) => [By?.AccessorID ?? AccessorID ?? ''],
    nameOf: tokenName
  },
  {
    field: 'topic',
    title: 'Kind',
    valuesOf: ({ Events = [] }) => Events.map(({ Topic }) => Topic),
    nameOf: value => kinds.find(({ topic }) => topic === value)?.one ?? value
  },
  {
    field: 'namespace',
    title: 'In namespace',
    valuesOf: ({ Events = [] }) => Events.map(({ Namespace }) => Namespace)
  },
  {
    field: 'action',
    title: 'Action',
    valuesOf: ({ Index = 0, Events = [] }) => Events.map(event => actionOf(event, Index))
  }
]

interface FacetsProps {
  readonly lines: readonly AuditLine[]
  readonly request: AuditRequest
  readonly change: (changed: Partial<AuditRequest>) => void
  readonly hasEvents: boolean
}

/** Filters with the numbers of loaded lines. */
const Facets = ({ lines, request, change, hasEvents }: FacetsProps) => (
  <>
    {FACETS.slice(0, hasEvents ? FACETS.length : 1).map(({ field, title, valuesOf, nameOf = String }) => {
      const counts = new Map(request[field] === '' ? [] : [[request[field], 0]])
      for (const line of lines)
        for (const value of new Set(valuesOf(line))) counts.set(value, (counts.get(value) ?? 0) + 1)
      const options = [...counts]
        .filter(([value]) => value !== '')
        .toSorted(([, one], [, other]) => other - one)
        .map(([value, count]) => [value, `${nameOf(value)} (${count})`] as const)
      return (
        <Select
          key={field}
          label={title}
          options={[['', 'any'], ...options]}
          value={request[field]}
          change={value => change({ [field]: value })}
        />
      )
    })}
  </>
)

const Times = ({ request, change }: Pick<FacetsProps, 'request' | 'change'>) => (
  <>
    {(['since', 'until'] as const).map(field => (
      <label key={field}>
        <span>{field === 'since' ? 'From' : 'To'}</span>
        <input
          type="datetime-local"
          value={/^\d+[mhd]$/.test(request[field]) ? '' : request[field]}
          onChange={({ currentTarget }) => change({ [field]: currentTarget.value })}
        />
      </label>
    ))}
  </>
)

const AuditOf = ({ denials = false }: { readonly denials?: boolean }) => {
  const { query, route, path } = useLocation()
  const request = requestIn(query)
  const { lines = [], failure, isRunning, loadOlder } = useAudit(request, denials)
  const change = (changed: Partial<AuditRequest>): void => {
    const next = { ...request, ...changed }
    const named = FIELDS.filter(field => next[field] !== '').map(field => [field, next[field]])
    route(withTenancy(`${path}?${new URLSearchParams(named)}`), true)
  }
  const isEmpty = lines.length === 0
  return (
    <main class="resource">
      <header>
        <Heading>{denials ? 'Denials' : 'Audit'}</Heading>
        <Presets chosen={request.since} choose={since => change({ since, until: '' })} />
        <Button
          label="Export JSON"
          disabled={isEmpty}
          act={() => saveFile('audit.json', JSON.stringify(lines, undefined, 2))}
        />
        <Button label="Export CSV" disabled={isEmpty} act={() => saveFile('audit.csv', auditCsv(lines))} />
      </header>
      <div class="choices audit">
        <Facets lines={lines} request={request} change={change} hasEvents={!denials} />
        <Times request={request} change={change} />
      </div>
      <Refusal text={failure} />
      {isRunning && isEmpty && <p role="status">Loading …</p>}
      {!(isRunning && isEmpty) &&
        failure === undefined &&
        (denials ? <DenialLines lines={lines} /> : <AuditLines lines={lines} />)}
      {loadOlder && <Button label="Load more" disabled={isRunning} act={loadOlder} />}
    </main>
  )
}

export const AuditPage = () => <AuditOf key="audit" />

export const DenialsPage = () => <AuditOf key="denials" denials />
