import { Status, Table } from '../../design/index.js'
import { checkPage, STATUSES } from './summary.js'
import type { CheckFacts } from './catalog-details.js'

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
        <Status of={check.status} />,
        <>
          <a href={checkPage(check)}>{check.name || check.id}</a>
          {check.notes !== '' && <div class="quiet">{check.notes}</div>}
        </>,
        check.serviceId || `node ${check.node}`,
        <Output text={check.output} />
      ])}
  />
)
