import { useLocation } from 'preact-iso'
import { AUDIT_HEAD, auditRow } from '../../../audit-lines.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import {
  Button,
  Choice,
  Heading,
  Notice,
  PERIODS,
  Refusal,
  saveFile,
  Select,
  tokenName
} from '../../design/index.js'
import { addressOfPage } from '../../resources/kind.js'
import { kinds } from '../../resources/kinds.js'
import { withTenancy } from '../../session/tenancy.js'
import { useResponse } from '../../session/use-response.js'
import { AuditLines, DenialLines } from './audit-lines.js'
import { auditRequestIn, type AuditRequest } from './audit-query.js'
import { useAudit } from './use-audit.js'

/** The server keeps no denied attempts. */
const OFF = /audit\.denials is off/

interface Facet {
  readonly field: 'accessor' | 'topic' | 'namespace' | 'type'
  readonly title: string
  readonly count: 'Accessors' | 'Topics' | 'Namespaces' | 'Types'
  readonly nameOf?: (value: string) => string
}

const FACETS: readonly Facet[] = [
  { field: 'accessor', title: 'Who', count: 'Accessors', nameOf: tokenName },
  {
    field: 'topic',
    title: 'Kind',
    count: 'Topics',
    nameOf: value => kinds.find(({ topic }) => topic === value)?.one ?? value
  },
  { field: 'namespace', title: 'In namespace', count: 'Namespaces' },
  { field: 'type', title: 'Action', count: 'Types' }
]

type Counts = Partial<Schemas['AuditFacets']>

interface FacetsProps {
  readonly counts: Counts
  /** Denied attempts have none. */
  readonly hasEvents: boolean
  readonly request: AuditRequest
  readonly change: (changed: Partial<AuditRequest>) => void
}

/** Filters with the numbers of commits. */
const Facets = ({ counts, hasEvents, request, change }: FacetsProps) => (
  <>
    {FACETS.map(({ field, title, count, nameOf = String }) => {
      const [chosen, values] = [request[field], counts[count]]
      if (!hasEvents && field !== 'accessor') return null
      const options = (values ?? [])
        .filter(({ Value }) => Value !== '')
        .map(({ Value, Count }) => [Value, `${nameOf(Value)} (${Count})`] as const)
      const isListed = chosen === '' || options.some(([value]) => value === chosen)
      const all = [['', 'any'] as const, ...options]
      return (
        <Select
          key={field}
          label={title}
          options={isListed ? all : [...all, [chosen, nameOf(chosen)]]}
          value={chosen}
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
  const request = auditRequestIn(query)
  const { lines: loaded, failure, isRunning, loadOlder, query: selection } = useAudit(request, denials)
  const lines = loaded ?? []
  const { value: counts = {} } = useResponse<Counts>(
    denials ? '/v1/event/audit/denials' : '/v1/event/audit/facets',
    denials ? { since: selection['since'], until: selection['until'] } : selection
  )
  const change = (changed: Partial<AuditRequest>): void => {
    route(withTenancy(addressOfPage(path, { ...request, ...changed })), true)
  }
  const isEmpty = lines.length === 0
  return (
    <main class="resource">
      <header>
        <Heading>{denials ? 'Denials' : 'Audit'}</Heading>
        <Choice
          label="Period"
          options={PERIODS}
          chosen={request.since}
          choose={since => change({ since, until: '' })}
        />
        <span class="actions">
          <a href="/ui/audit/report">Verify a report</a>
          <Button
            label="Export JSON"
            disabled={isEmpty}
            act={() => saveFile('audit.json', JSON.stringify(lines, undefined, 2))}
          />
          <Button
            label="Export CSV"
            disabled={isEmpty}
            act={() => saveFile('audit.csv', [AUDIT_HEAD, ...lines.map(auditRow)].join('\r\n'))}
          />
        </span>
      </header>
      <div class="choices audit">
        <Facets counts={counts} hasEvents={!denials} request={request} change={change} />
        <Times request={request} change={change} />
      </div>
      {failure !== undefined && OFF.test(failure) ? (
        <Notice>
          Denied attempts are not recorded. Set <code>audit.denials</code> to <code>true</code> in the
          configuration of the server to record them.
        </Notice>
      ) : (
        <Refusal text={failure} />
      )}
      {!loaded && failure === undefined && <p role="status">Loading …</p>}
      {loaded &&
        failure === undefined &&
        (denials ? <DenialLines lines={lines} /> : <AuditLines lines={lines} />)}
      {loadOlder && <Button label="Load more" disabled={isRunning} act={loadOlder} />}
    </main>
  )
}

export const AuditPage = () => <AuditOf key="audit" />

export const DenialsPage = () => <AuditOf key="denials" denials />
