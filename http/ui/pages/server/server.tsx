// The server itself: its log, who reads the stream and how far behind, its cluster, and what it measures.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Heading } from '../../parts/heading.js'
import { Refusal } from '../../parts/refusal.js'
import { Table } from '../../parts/table.js'
import { useAnswer } from '../../session/use-answer.js'

interface Stream {
  readonly ID: string
  readonly AccessorID: string
  readonly Address: string
  readonly Wire: string
  readonly Topics: readonly string[]
  readonly Cursor: string
  readonly LastIndex: number
}

interface Subscriptions {
  readonly Open: readonly (Stream & {
    readonly State: string
    readonly LagCommits: number
    readonly BytesWaiting: number
  })[]
  readonly Ended: readonly (Stream & { readonly EndedAt: string; readonly Reason: string })[]
}

interface Cursor {
  readonly Name: string
  readonly Topics: readonly string[]
  readonly Index: number
  readonly LagCommits?: number
  readonly LagSeconds?: number
  readonly DeadLetters?: number
  readonly Disabled?: string
}

interface Member {
  readonly Name: string
  readonly Addr: string
  readonly Port: number
  readonly Status: number
  readonly Tags: Readonly<Record<string, string>>
}

interface Metrics {
  readonly Gauges: readonly {
    readonly Name: string
    readonly Value: number
    readonly Labels: Readonly<Record<string, string>>
  }[]
}

/** States of members, as Serf numbers them. */
const STATES = ['none', 'alive', 'leaving', 'left', 'failed']

const local = (time: string): string => new Date(time).toLocaleString()
const time = (given: string) => <time dateTime={given}>{local(given)}</time>
const topicsOf = ({ Topics }: { readonly Topics: readonly string[] }): string => Topics.join(', ')

/** What is asked for one part of the page, and again when somebody wants it. */
interface PartProps {
  readonly turn: number
}

interface SectionProps {
  readonly title: string
  readonly failure: string | undefined
  readonly children: ComponentChildren
}

const Section = ({ title, failure, children }: SectionProps) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <Refusal text={failure} />
    {children}
  </section>
)

const Streams = ({ turn }: PartProps) => {
  const { value, failure } = useAnswer<Subscriptions>('/v1/event/subscriptions', {}, turn)
  return (
    <Section title="Streams" failure={failure}>
      {value && (
        <Table
          label="Open streams"
          head={[
            'Reader',
            'Address',
            'Topics',
            'Wire',
            'State',
            'Sent up to',
            'Commits behind',
            'Bytes waiting'
          ]}
          rows={value.Open.map(stream => [
            stream.Cursor || stream.AccessorID.slice(0, 8) || 'anonymous',
            stream.Address,
            topicsOf(stream),
            stream.Wire,
            stream.State,
            stream.LastIndex,
            stream.LagCommits,
            stream.BytesWaiting
          ])}
          none="Nobody reads the stream."
        />
      )}
      {value && value.Ended.length > 0 && (
        <details>
          <summary>{value.Ended.length} that ended</summary>
          <Table
            label="Ended streams"
            head={['Reader', 'Address', 'Topics', 'Sent up to', 'Ended', 'Why']}
            rows={value.Ended.map(stream => [
              stream.Cursor || stream.AccessorID.slice(0, 8) || 'anonymous',
              stream.Address,
              topicsOf(stream),
              stream.LastIndex,
              time(stream.EndedAt),
              stream.Reason
            ])}
            none=""
          />
        </details>
      )}
    </Section>
  )
}

const Cursors = ({ turn }: PartProps) => {
  const { value, failure } = useAnswer<readonly Cursor[]>('/v1/event/cursors', { ns: '*' }, turn)
  return (
    <Section title="Cursors" failure={failure}>
      {value && (
        <Table
          label="Cursors of streams"
          head={['Name', 'Topics', 'Index', 'Commits behind', 'Seconds behind', 'Dead letters', 'State']}
          rows={value.map(cursor => [
            cursor.Name,
            topicsOf(cursor),
            cursor.Index,
            cursor.LagCommits,
            cursor.LagSeconds,
            cursor.DeadLetters,
            cursor.Disabled ? `disabled: ${cursor.Disabled}` : 'in use'
          ])}
          none="There are no cursors that this token may see."
        />
      )}
    </Section>
  )
}

const Members = ({ turn }: PartProps) => {
  const members = useAnswer<readonly Member[]>('/v1/agent/members', {}, turn)
  const leader = useAnswer<string>('/v1/status/leader', {}, turn)
  const isLeader = ({ Addr, Tags }: Member): boolean => `${Addr}:${Tags['port']}` === leader.value
  return (
    <Section title="Members" failure={members.failure}>
      {members.value && (
        <Table
          label="Members of the cluster"
          head={['Name', 'Address', 'Datacenter', 'State', 'Build', 'Leads']}
          rows={members.value.map(member => [
            member.Name,
            `${member.Addr}:${member.Port}`,
            member.Tags['dc'],
            STATES[member.Status] ?? member.Status,
            member.Tags['build'],
            isLeader(member) ? 'yes' : ''
          ])}
          none="There are no members that this token may see."
        />
      )}
    </Section>
  )
}

/** Measures of the log, and what they are called here. */
const LOG: readonly (readonly [string, string])[] = [
  ['annals_commit_index', 'Newest commit'],
  ['annals_durable_index', 'On disk up to'],
  ['annals_first_index', 'Oldest commit that is kept'],
  ['annals_snapshot_index', 'Snapshot of'],
  ['annals_log_bytes', 'Bytes'],
  ['annals_log_writable', 'Takes writes']
]

const Measures = ({ turn }: PartProps) => {
  const [wanted, setWanted] = useState('')
  const { value, failure } = useAnswer<Metrics>('/v1/agent/metrics', {}, turn)
  const gauges = value?.Gauges ?? []
  const named = (name: string): number | undefined => gauges.find(({ Name }) => Name === name)?.Value
  return (
    <>
      <Section title="Log" failure={failure}>
        {value && (
          <dl>
            {LOG.map(([name, title]) => (
              <div key={name}>
                <dt>{title}</dt>
                <dd>
                  {name === 'annals_log_writable'
                    ? named(name) === 1
                      ? 'yes'
                      : 'no'
                    : named(name)?.toLocaleString()}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Section>
      <Section title="Metrics" failure={undefined}>
        <p>
          <input
            type="search"
            id="search"
            placeholder="Search ( / )"
            aria-label="Search in metrics"
            onInput={({ currentTarget }) => setWanted(currentTarget.value.toLowerCase())}
          />
        </p>
        <Table
          label="Gauges"
          head={['Name', 'Labels', 'Value']}
          rows={gauges
            .filter(({ Name }) => Name.toLowerCase().includes(wanted))
            .map(({ Name, Labels, Value }) => [
              <code key="name">{Name}</code>,
              Object.entries(Labels)
                .map(([label, text]) => `${label} ${text}`)
                .join(', '),
              Value.toLocaleString()
            ])}
          none="There are no metrics to show."
        />
      </Section>
    </>
  )
}

export const ServerPage = () => {
  const [turn, setTurn] = useState(0)
  return (
    <main class="thing">
      <header>
        <Heading>Server</Heading>
        <button type="button" onClick={() => setTurn(before => before + 1)}>
          Read again
        </button>
      </header>
      <Members turn={turn} />
      <Streams turn={turn} />
      <Cursors turn={turn} />
      <Measures turn={turn} />
    </main>
  )
}
