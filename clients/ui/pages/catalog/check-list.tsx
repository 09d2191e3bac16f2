import { Refusal, Status as StatusBadge, Table } from '../../design/index.js'
import { useChanges } from '../../live/use-stream.js'
import { checkFacts, type CheckFacts, checkPage, STATUSES } from '../../resources/catalog/facts.js'
import { type Fields } from '../../resources/kind.js'
import { useResponse, useTurn } from '../../session/use-response.js'
import type { Place } from '../../session/tenancy.js'

/** An output with more lines or characters is folded to its first line. */
const MOST_LINES = 4
const MOST_LETTERS = 300
const FIRST_LETTERS = 80

const Output = ({ text }: { readonly text: string }) => {
  const lines = text.trimEnd().split('\n')
  if (lines.length <= MOST_LINES && text.length <= MOST_LETTERS) return <pre>{text}</pre>
  return (
    <details class="output">
      <summary>
        <code>{lines[0]?.slice(0, FIRST_LETTERS)} …</code>{' '}
        <span class="quiet">{lines.length === 1 ? `${text.length} letters` : `${lines.length} lines`}</span>
      </summary>
      <pre>{text}</pre>
    </details>
  )
}

const HEAD = ['Status', 'Check', 'Scope', 'Output']

interface Props {
  readonly label: string
  readonly checks: readonly CheckFacts[]
}

export const CheckList = ({ label, checks }: Props) => (
  <Table
    label={label}
    head={HEAD}
    none="No checks: the status is passing."
    rows={checks
      .toSorted((one, other) => STATUSES.indexOf(other.status) - STATUSES.indexOf(one.status))
      .map(check => [
        <StatusBadge of={check.status} />,
        <>
          <a href={checkPage(check)}>{check.name || check.id}</a>
          {check.notes !== '' && <div class="quiet">{check.notes}</div>}
        </>,
        check.serviceId || `node ${check.node}`,
        <Output text={check.output} />
      ])}
  />
)

/** The checks of a node and its instances, and why some are hidden from the token. */
export const useNodeChecks = (node: string, partition: string) => {
  const [turn, refresh] = useTurn()
  const changes = useChanges([`Check:${node}`, `Service:${node}`], refresh)
  const path = `/v1/health/node/${encodeURIComponent(node)}`
  const { value, failure } = useResponse<readonly Fields[]>(path, { partition, ns: '*' }, turn)
  return { ...changes, turn, checks: value?.map(checkFacts), failure }
}

/** Returns the checks of an instance and those of its node. @param id of the service on the node */
export const checksOf = (checks: readonly CheckFacts[], id: string, ns: string): readonly CheckFacts[] =>
  checks.filter(({ serviceId, namespace }) => serviceId === '' || (serviceId === id && namespace === ns))

interface InstanceProps {
  readonly label: string
  readonly node: string
  readonly id: string
  readonly place: Place
}

export const InstanceChecks = ({ label, node, id, place: { ns, partition } }: InstanceProps) => {
  const { checks, failure } = useNodeChecks(node, partition)
  return (
    <>
      <Refusal text={failure} />
      {checks && <CheckList label={label} checks={checksOf(checks, id, ns)} />}
    </>
  )
}
