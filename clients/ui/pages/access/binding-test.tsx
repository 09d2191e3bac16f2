import type { Schemas } from '../../../typescript/typed/index.js'
import { useState } from 'preact/hooks'
import { CodeEditor, Section, SubmitForm, Table, Payload, SubmitButton } from '../../design/index.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { versionViewFor } from '../../resources/kind.js'
import { useQuestion } from '../send.js'

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
  const write = () => ({
    body: { AuthMethod: method, Claims: JSON.parse(claims), Namespace: ns, Partition: partition }
  })
  const { result, failure, ask } = useQuestion<TestResult>('/v1/acl/binding-rules/test', [claims], write)
  return (
    <Section title="Test claims" label="Test of binding rules">
      <SubmitForm failure={failure} submit={ask}>
        <CodeEditor value={claims} change={setClaims} language="json" label="Claims" />
        <p>
          <SubmitButton label="Test claims" />
        </p>
      </SubmitForm>
      {result && <TestResultView result={result} />}
    </Section>
  )
}
