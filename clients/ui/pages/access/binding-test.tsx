// Which roles and identities a login with some claims would get.
import { useState } from 'preact/hooks'
import { CodeEditor } from '../../components/code-editor.js'
import { Refusal } from '../../components/notice.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { client } from '../../session/session.js'
import { useAction } from '../../session/use-action.js'
import { versionViewFor } from '../../resources/versions.js'

/** The answer of `POST /v1/acl/binding-rules/test`. */
interface Tested {
  readonly Allowed: boolean
  readonly Reason?: string
  readonly Selectable?: unknown
  readonly Rules: readonly {
    readonly ID: string
    readonly Selector: string
    readonly BindType: string
    readonly BindName: string
    readonly Selects: boolean
    readonly Name?: string
    /** Why it gives nothing. */
    readonly Reason?: string
  }[]
}

interface Props {
  /** Name of the auth method. */
  readonly method: string
  readonly place: TenancyQuery
}

export const BindingTest = ({ method, place: { ns, partition } }: Props) => {
  const [claims, setClaims] = useState('{\n  "sub": "somebody"\n}')
  const [tested, setTested] = useState<Tested>()
  const { failure, run } = useAction()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      const Claims: unknown = JSON.parse(claims)
      const body = { AuthMethod: method, Claims, Namespace: ns, Partition: partition }
      const answer = await client.value.connection.request('POST', '/v1/acl/binding-rules/test', { body })
      setTested(await answer.json<Tested>())
    })
  }
  return (
    <section aria-label="Test of binding rules">
      <h2>What would these claims get?</h2>
      <form onSubmit={submit}>
        <CodeEditor value={claims} change={setClaims} language="json" label="Claims" />
        <p>
          <button type="submit">Try</button>
        </p>
      </form>
      <Refusal text={failure} />
      {tested && (
        <>
          <p role="status">
            <b>{tested.Allowed ? 'The login is allowed' : 'The login is refused'}</b>
            {tested.Reason && `: ${tested.Reason}`}
          </p>
          <table>
            <thead>
              <tr>
                <th>Selector</th>
                <th>Selects</th>
                <th>Gives</th>
              </tr>
            </thead>
            <tbody>
              {tested.Rules.map(({ ID, Selector, Selects, BindType, BindName, Name, Reason }) => (
                <tr key={ID}>
                  <td>
                    <code>{Selector || 'everybody'}</code>
                  </td>
                  <td>{Selects ? 'yes' : 'no'}</td>
                  <td>
                    {BindType} {Name ?? BindName} {Reason && <span class="refused">{Reason}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {tested.Selectable !== undefined && (
            <details>
              <summary>What selectors see</summary>
              <pre class="payload">{versionViewFor(tested.Selectable)}</pre>
            </details>
          )}
        </>
      )}
    </section>
  )
}
