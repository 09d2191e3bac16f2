// Columns without values are omitted. Rows are cards on narrow screens: <Table label="Members" head={['Name', 'State']} rows={members.map(({ Name }) => [Name, …])} none="There are none." />
import type { ComponentChildren } from 'preact'

interface Props {
  readonly label: string
  readonly head: readonly string[]
  /** Undefined until they are loaded, which renders nothing. */
  readonly rows: readonly (readonly ComponentChildren[])[] | undefined
  /** The text in place of a table without rows; renders nothing when absent. */
  readonly none?: string
}

export const isEmpty = (cell: ComponentChildren): boolean =>
  cell === undefined || cell === null || cell === '' || cell === false

export const Table = ({ label, head, rows, none }: Props) => {
  if (!rows) return null
  const columns = head.map((_, at) => at).filter(at => rows.some(cells => !isEmpty(cells[at])))
  if (rows.length === 0) return none === undefined ? null : <p role="status">{none}</p>
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column} scope="col">
                {head[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            <tr key={at}>
              {columns.map(column => (
                <td key={column} data-label={head[column]}>
                  {cells[column]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
