// Rows are cards on narrow screens: <Table label="Members" head={['Name', 'State']} rows={members.map(({ Name }) => [Name, …])} none="There are none." />
import type { ComponentChildren } from 'preact'

interface Props {
  readonly label: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
  /** The text in place of a table without rows. */
  readonly none: string
}

export const Table = ({ label, head, rows, none }: Props) =>
  rows.length === 0 ? (
    <p role="status">{none}</p>
  ) : (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            <tr key={at}>
              {cells.map((cell, column) => (
                <td key={head[column]} data-label={head[column]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
