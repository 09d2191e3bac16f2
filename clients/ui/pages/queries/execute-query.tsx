// Runs a query, and says which one answers to a name and what a template becomes.
import { useState } from 'preact/hooks'
import { Refusal } from '../../components/notice.js'
import { client } from '../../session/session.js'
import { useAction } from '../../session/use-action.js'
import { Explained, type Explanation } from './explained.js'
import { queryPath } from './query.js'
import { Table } from '../../components/table.js'

/** What a query found. */
interface Check {
  readonly Name: string
  readonly Status: string
}

interface Instance {
  readonly Node: { readonly Node: string; readonly Address: string; readonly Datacenter: string }
  readonly Service: {
    readonly ID: string
    readonly Service: string
    readonly Address: string
    readonly Port?: number
    readonly Tags: readonly string[] | null
  }
  readonly Checks: readonly Check[] | null
}

/** The answer of an execution. */
interface ExecutionResult {
  readonly Service: string
  readonly Nodes: readonly Instance[]
  readonly DNS: { readonly TTL: string }
  readonly Datacenter: string
  readonly Failovers: number
}

/** From the best to the worst. */
const STATES = ['passing', 'warning', 'critical']

const worstOf = (checks: readonly Check[] | null): string =>
  (checks ?? []).map(({ Status }) => Status).toSorted((a, b) => STATES.indexOf(b) - STATES.indexOf(a))[0] ??
  'no checks'

const failoversInWords = ({ Failovers, Datacenter, Nodes }: ExecutionResult): string => {
  if (Failovers === 0) return `Datacenter ${Datacenter} answered; no other one was asked.`
  const asked =
    Failovers === 1 ? 'one other datacenter was asked' : `${Failovers} other datacenters were asked`
  return Nodes.length === 0
    ? `Nothing was found: ${asked}, ${Datacenter} last.`
    : `Nothing was found here: ${asked}, and ${Datacenter} answered.`
}

const QueryResultView = ({ result }: { readonly result: ExecutionResult }) => {
  const { Service, Nodes, DNS } = result
  return (
    <>
      <p role="status">
        {Nodes.length.toLocaleString('en')} instances of {Service}. {failoversInWords(result)}
        {DNS.TTL !== '' && ` DNS answers live for ${DNS.TTL}.`}
      </p>
      <Table
        label="Instances"
        head={['Node', 'Instance', 'Address', 'Tags', 'Health', 'Datacenter']}
        none="No instance that may be seen is healthy."
        rows={Nodes.map(({ Node, Service: { ID, Address, Port, Tags }, Checks }) => [
          <a href={`/ui/nodes/one?${new URLSearchParams({ key: Node.Node })}`}>{Node.Node}</a>,
          ID,
          `${Address || Node.Address}${Port ? `:${Port}` : ''}`,
          (Tags ?? []).join(', '),
          worstOf(Checks),
          Node.Datacenter
        ])}
      />
    </>
  )
}

interface FieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly change: (text: string) => void
}

const Field = ({ label, placeholder, value, change }: FieldProps) => (
  <label>
    {label}{' '}
    <input
      value={value}
      placeholder={placeholder}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
)

interface Outcome {
  readonly name: string
  readonly ran?: ExecutionResult
  readonly explained?: Explanation
}

interface Props {
  /** What is run when nothing else is written. */
  readonly name: string
  /** Whether other names than that are tried: a template answers to many. */
  readonly isOpen: boolean
}

export const ExecuteQuery = ({ name: given, isOpen }: Props) => {
  const [written, setWritten] = useState<string>()
  const [near, setNear] = useState('')
  const [limit, setLimit] = useState('')
  const [dc, setDc] = useState('')
  const [viaConnect, setViaConnect] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const { failure, run } = useAction()
  const name = written ?? given
  const filled = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())
  const ask = (made: () => Promise<Omit<Outcome, 'name'>>): void => {
    setOutcome(undefined)
    run(async () => setOutcome({ name, ...(await made()) }))
  }
  const execute = (): void =>
    ask(async () => {
      const query = { near: filled(near), limit: filled(limit), dc: filled(dc), connect: viaConnect }
      const answer = await client.value.connection.request('GET', queryPath(name, '/execute'), { query })
      return { ran: await answer.json<ExecutionResult>() }
    })
  const explain = (): void =>
    ask(async () => {
      const query = { dc: filled(dc) }
      const answer = await client.value.connection.request('GET', queryPath(name, '/explain'), { query })
      return { explained: await answer.json<Explanation>() }
    })
  return (
    <section aria-label="Try">
      <form
        class="choices tried"
        onSubmit={event => {
          event.preventDefault()
          execute()
        }}
      >
        {isOpen && <Field label="Name" value={name} change={setWritten} />}
        <Field label="Near" placeholder="node, _agent or _ip" value={near} change={setNear} />
        <Field label="Limit" value={limit} change={setLimit} />
        <Field label="Datacenter" value={dc} change={setDc} />
        <label>
          <input
            type="checkbox"
            checked={viaConnect}
            onChange={({ currentTarget }) => setViaConnect(currentTarget.checked)}
          />{' '}
          Connect
        </label>
        <button type="submit" disabled={name === ''}>
          Run
        </button>
        <button type="button" disabled={name === ''} onClick={explain}>
          Explain
        </button>
      </form>
      <Refusal text={failure} />
      {outcome?.ran && <QueryResultView result={outcome.ran} />}
      {outcome?.explained && <Explained name={outcome.name} explanation={outcome.explained} />}
    </section>
  )
}
