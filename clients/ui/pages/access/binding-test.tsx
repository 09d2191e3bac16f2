import type { Schemas } from '../../../typescript/typed/index.js'
import { useState } from 'preact/hooks'
import { CodeEditor, Section, SubmitForm, Table, Payload } from '../../design/index.js'
import { useAction } from '../../session/use-response.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { versionViewFor } from '../../resources/kind.js'
import { send } from '../send.js'

type TestResult = Schemas['BindingRulesTest']

const TestResultView = ({ result }: { readonly result: TestResult }) => (
  <>
    <p role="status">
      <b>{result.Allowed ? 'The login is allowed' : 'The login is denied'}</b>
      {result.Reason && `: ${result.Reason}`}
    </p>
    <Table
      label="Tested binding rules"
      head={['Selector', 'Selects', 'Grants']}
      rows={result.Rules.map(({ Selector, Selects, BindType, BindName, Name, Reason }) => [
        <code>{Selector || 'everybody'}</code>,
        Selects ? 'yes' : 'no',
        <>
          {BindType} {Name ?? BindName} {Reason && <span class="refused">{Reason}</span>}
        </>
      ])}
    />
    {result.Selectable !== undefined && (
      <details>
        <summary>Values that selectors can use</summary>
        <Payload text={versionViewFor(result.Selectable)} />
      </details>
    )}
  </>
)

interface Props {
  readonly method: string
  readonly place: TenancyQuery
}

export const BindingTest = ({ method, place: { ns, partition } }: Props) => {
  const [claims, setClaims] = useState('{\n  "sub": "somebody"\n}')
  const { result, failure, run } = useAction<TestResult>([claims])
  const test = (): void =>
    run(async signal => {
      const Claims: unknown = JSON.parse(claims)
      const body = { AuthMethod: method, Claims, Namespace: ns, Partition: partition }
      return (await send('POST', '/v1/acl/binding-rules/test', { body, signal })).json()
    })
  return (
    <Section title="Test claims" label="Test of binding rules">
      <SubmitForm failure={failure} submit={test}>
        <CodeEditor value={claims} change={setClaims} language="json" label="Claims" />
        <p>
          <button type="submit">Test claims</button>
        </p>
      </SubmitForm>
      {result && <TestResultView result={result} />}
    </Section>
  )
}
