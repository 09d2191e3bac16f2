import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { CodeEditor, linksTo, Payload, Section, SubmitButton, SubmitForm, Table } from '../../design/index.js'
import { bindingRuleDefinition } from '../../../../events/binding-rule.js'
import type { ResourceFormProps } from './forms/form.js'
import { useQuestion } from '../send.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { useResponse, useTurn } from '../../session/use-response.js'
import { useChanges } from '../../live/use-stream.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import { resourcePage, textOf, versionViewFor } from '../../resources/kind.js'
import { formView, type StoredTarget } from '../resource/form-view.js'
import { AuthMethodForm, type AuthMethod } from './forms/auth-method-form.js'
import { PolicyForm } from './forms/policy-form.js'
import { FieldsForm } from './forms/fields-form.js'
import { roleDefinition } from '../../../../events/role.js'
import { ProposalLink } from './proposal-view.js'
import { UsedBy, usageTab } from './usage-tab.js'
import { identitiesOf } from '../../resources/access-kinds.js'

export const policyView = formView<Schemas['Policy']>({
  what: 'policy',
  summary: ({ Description, Datacenters, ID }) => [
    ['Description', textOf(Description)],
    ['Datacenters', Array.isArray(Datacenters) && Datacenters.length > 0 ? Datacenters.join(', ') : 'all'],
    ['ID', textOf(ID)]
  ],
  Form: PolicyForm,
  consequence: 'Tokens and roles that link it lose its permissions.',
  related: target => (
    <>
      <ProposalLink {...target} />
      <UsedBy kind="policy" id={target.id} place={target.place} />
    </>
  ),
  Usage: usageTab('policy')
})

const ROLE_INPUTS = [
  { Name: { required: true } },
  { Description: {} },
  { Policies: {} },
  { ServiceIdentities: {} },
  { NodeIdentities: {} }
]

export const roleView = formView<Schemas['Role']>({
  what: 'role',
  summary: fields => [
    ['Description', textOf(fields['Description'])],
    ['Policies', linksTo('policies', fields['Policies'])],
    ['Identities', identitiesOf(fields)],
    ['ID', textOf(fields['ID'])]
  ],
  Form: props => (
    <FieldsForm {...props} hasImpact label="Role" definition={roleDefinition} inputs={ROLE_INPUTS} />
  ),
  consequence: 'Tokens that link it lose its permissions.',
  related: ({ id, place }) => <UsedBy kind="role" id={id} place={place} />,
  Usage: usageTab('role')
})

const TYPES = [
  ['service', 'the identity of a service'],
  ['role', 'a role'],
  ['node', 'the identity of a node']
] as const

/** The address may contain the method of a new rule. */
const BindingRuleForm = (props: ResourceFormProps<Schemas['BindingRule']>) => {
  const { method = '' } = useLocation().query
  const { target, stored } = props
  const { value: methods = [] } = useResponse<readonly Schemas['AuthMethodEntry'][]>(
    stored ? undefined : '/v1/acl/auth-methods',
    target.place
  )
  return (
    <FieldsForm
      {...props}
      hasImpact
      label="Binding rule"
      definition={bindingRuleDefinition}
      inputs={[
        {
          AuthMethod: {
            label: 'Auth method',
            name: 'AuthMethod|auth method',
            required: true,
            options: methods.map(({ Name }) => Name),
            initial: method,
            isHidden: stored !== undefined
          }
        },
        { Selector: { placeholder: 'everybody', hint: 'Such as "admins" in list.groups' } },
        {
          BindType: { label: 'Grants', options: TYPES, initial: 'service' },
          BindName: { label: 'Name', required: true, hint: 'May hold claims, such as team-${value.team}' }
        },
        { Description: {} }
      ]}
    />
  )
}

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

interface BindingTestProps {
  readonly method: string
  readonly place: TenancyQuery
}

const BindingTest = ({ method, place: { ns, partition } }: BindingTestProps) => {
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

export const bindingRuleView = formView<Schemas['BindingRule']>({
  what: 'binding rule',
  summary: ({ AuthMethod: method, Selector, BindType, BindName, Description }) => [
    ['Auth method', <a href={resourcePage('auth-methods', { key: textOf(method) })}>{textOf(method)}</a>],
    ['Selector', textOf(Selector) || 'every login'],
    ['Grants', `${textOf(BindType)} ${textOf(BindName)}`],
    ['Description', textOf(Description)]
  ],
  Form: BindingRuleForm,
  consequence: 'New logins no longer receive its grant. Existing tokens keep theirs.',
  related: ({ place }, rule) => rule && <BindingTest method={rule.AuthMethod} place={place} />
})

const MethodRules = ({ id, place }: StoredTarget) => {
  const [turn, refresh] = useTurn()
  useChanges(['ACLBindingRule'], refresh)
  const query = { ...place, authmethod: id }
  const { value: rules } = useResponse<readonly Schemas['BindingRule'][]>(
    '/v1/acl/binding-rules',
    query,
    turn
  )
  return (
    <Section title="Binding rules">
      <Table
        label="Binding rules of the method"
        head={['Selector', 'Grants', 'Description']}
        rows={rules?.map(({ ID, Selector, BindType, BindName, Description }) => [
          <a href={resourcePage('binding-rules', { key: ID })}>
            <code>{Selector || 'everybody'}</code>
          </a>,
          `${BindType} ${BindName}`,
          Description
        ])}
        none="There are no binding rules, so every login is denied."
      />
      <p>
        <a class="button" href={`/ui/binding-rules/new?${new URLSearchParams({ method: id })}`}>
          Create binding rule
        </a>
      </p>
    </Section>
  )
}

export const authMethodView = formView<AuthMethod>({
  what: 'auth method',
  summary: ({ Type, DisplayName, Description, MaxTokenTTL, TokenLocality }) => [
    ['Type', textOf(Type)],
    ['Display name', textOf(DisplayName)],
    ['Description', textOf(Description)],
    ['Tokens expire after', Number(MaxTokenTTL) === 0 ? 'never' : textOf(MaxTokenTTL)],
    ['Token scope', textOf(TokenLocality)]
  ],
  Form: AuthMethodForm,
  consequence: 'Its binding rules and all tokens of its logins are deleted too.',
  related: target => (
    <>
      <MethodRules {...target} />
      <BindingTest method={target.id} place={target.place} />
    </>
  )
})
