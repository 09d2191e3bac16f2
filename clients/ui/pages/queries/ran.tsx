// What a query found.
import { Table } from '../../parts/table.js'

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
export interface Result {
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

const failoversInWords = ({ Failovers, Datacenter, Nodes }: Result): string => {
  if (Failovers === 0) return `Datacenter ${Datacenter} answered; no other one was asked.`
  const asked =
    Failovers === 1 ? 'one other datacenter was asked' : `${Failovers} other datacenters were asked`
  return Nodes.length === 0
    ? `Nothing was found: ${asked}, ${Datacenter} last.`
    : `Nothing was found here: ${asked}, and ${Datacenter} answered.`
}

export const Ran = ({ result }: { readonly result: Result }) => {
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
