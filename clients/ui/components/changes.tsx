// The operations of a JSON Patch as a table.
import { versionViewFor, type Change } from '../resources/versions.js'

export const Changes = ({ patch }: { readonly patch: readonly Change[] }) => (
  <div class="scroll">
    <table class="changes">
      <tbody>
        {patch.map(({ op, path, value }) => (
          <tr key={`${op} ${path}`}>
            <td class={`op ${op}`}>{op}</td>
            <td>{path || '/'}</td>
            <td>
              <pre>{value === undefined ? '' : versionViewFor(value)}</pre>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
