import type { Schemas } from '../../../typescript/typed/index.js'
import { useMemo, useState } from 'preact/hooks'
import { FilterField, Refusal, Restricted, Status, StreamNotice, Table } from '../../design/index.js'
import { useResponse, useBlockingQuery } from '../../session/use-response.js'
import { textOf, resourcePage } from '../../resources/kind.js'
import type { PanelProps } from '../resource/resource-view.js'
import { instancePage, servicePage } from './summary.js'
import { CheckList } from './check-list.js'
import { useCatalog } from './use-catalog.js'

const TOPICS = ['Service', 'Check']

type Session = Schemas['Session']

const SERVICES = ['Status', 'Instance', 'Service', 'Port', 'Tags', 'Namespace']
const SESSIONS = ['Session', 'Name', 'Behavior', 'TTL']

interface SessionTableProps {
  readonly sessions: readonly Session[]
  readonly partition: string
}

const SessionTable = ({ sessions, partition }: SessionTableProps) => (
  <Table
    label="Sessions"
    head={SESSIONS}
    none="None visible to this token."
    rows={sessions.map(({ ID, Name, Behavior, TTL }) => [
      <a href={resourcePage('sessions', { key: ID, partition })}>{ID}</a>,
      Name,
      Behavior,
      TTL || 'none'
    ])}
  />
)

export const NodePanel = ({ newest, fields, place: { partition } }: PanelProps) => {
  const node = textOf(fields['Name'])
  const [filter, setFilter] = useState('')
  const narrowing = useMemo(() => {
    const name = JSON.stringify(node)
    const ofNode =
      `(Topic == "Service" and Payload.Service.Node == ${name}) or ` +
      `(Topic == "Check" and Payload.Check.Node == ${name})`
    return { partition, filter: ofNode }
  }, [node, partition])
  const { catalog, state, refusal } = useCatalog(TOPICS, narrowing)
  const at = encodeURIComponent(node)
  const sessions = useResponse<readonly Session[]>(`/v1/session/node/${at}`, { partition }, newest.Index)
  const passing = useBlockingQuery<{ readonly Services: readonly { readonly ID: string }[] } | null>(
    filter === '' ? undefined : `/v1/catalog/node-services/${at}`,
    { partition, filter, ns: '*' }
  )
  const found = passing.value?.Services.map(({ ID }) => ID)
  const instances = catalog.instances.all.filter(({ facts }) => facts.node === node)
  const checks = catalog.checks.all.filter(check => check.node === node)
  return (
    <section aria-label="Node">
      <Restricted refusal={refusal} />
      {state !== 'live' && state !== 'ended' && (
        <StreamNotice state={state} count={0} what={['service or check', 'services and checks']} />
      )}
      <h2>Services</h2>
      <FilterField example='"v1" in Tags' failure={passing.failure} change={setFilter} />
      <Table
        label="Services"
        head={SERVICES}
        none="None visible to this token."
        rows={instances
          .filter(({ facts }) => !found || found.includes(facts.id))
          .map(({ facts, status }) => [
            <Status of={status} />,
            <a href={instancePage(facts)}>{facts.id}</a>,
            <a href={servicePage(facts)}>{facts.service}</a>,
            facts.port,
            facts.tags.join(', '),
            facts.namespace
          ])}
      />
      <h2>Checks</h2>
      <CheckList label="Checks" checks={checks} />
      <h2>Sessions</h2>
      <Refusal text={sessions.failure} />
      {sessions.value && <SessionTable sessions={sessions.value} partition={partition} />}
    </section>
  )
}
