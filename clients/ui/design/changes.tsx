// The operations of a JSON Patch as a table.
import { readableValue } from '../resources/readable.js'
import { versionViewFor, type Change } from '../resources/versions.js'

const KEY_VALUE = '/KV/Value'

export const Changes = ({ patch }: { readonly patch: readonly Change[] }) => (
  <div class="scroll">
    <table>
      <tbody>
        {patch.map(({ op, path, value }) => (
          <tr key={`${op} ${path}`}>
            <td class={`op ${op}`}>{op}</td>
            <td>{path || '/'}</td>
            <td>
              <pre>
                {value === undefined ? '' : path === KEY_VALUE ? readableValue(value) : versionViewFor(value)}
              </pre>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
