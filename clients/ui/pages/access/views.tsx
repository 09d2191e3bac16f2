import { Section, linksTo, Table } from '../../design/index.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { useResponse, useTurn } from '../../session/use-response.js'
import { useChanges } from '../../live/use-stream.js'
import { type Role, type Token, type BindingRule, type Policy, DeleteButton } from './forms/form.js'
import { resourcePage, textOf, type Fields } from '../../resources/kind.js'
import { formView, type FormViewOptions, type StoredTarget } from '../resource/form-view.js'
import type { PanelProps, ResourceView } from '../resource/resource-view.js'
import { BindingTest } from './binding-test.js'
import { AuthMethodForm, type AuthMethod } from './forms/auth-method-form.js'
import { BindingRuleForm } from './forms/binding-rule-form.js'
import { PolicyForm } from './forms/policy-form.js'
import { FieldsForm } from './forms/fields-form.js'
import { roleDefinition } from '../../../../events/role.js'
import { ProposalLink } from './proposal-view.js'
import { usageTab } from './usage-tab.js'
import { identitiesOf } from '../../resources/access-kinds.js'

const MAX_USERS = 100

interface User {
  readonly id: string
  readonly name: string
}

const Users = ({ what, users }: { readonly what: 'token' | 'role'; readonly users: readonly User[] }) => (
  <>
    <h3>
      {users.length > MAX_USERS ? `More than ${MAX_USERS}` : users.length} {what}
      {users.length === 1 ? '' : 's'}
    </h3>
    <ul class="users">
      {users.slice(0, MAX_USERS).map(({ id, name }) => (
        <li key={id}>
          <a href={resourcePage(`${what}s`, { key: id })}>{name}</a>
        </li>
      ))}
    </ul>
  </>
)

interface Props {
  readonly kind: 'policy' | 'role'
  readonly id: string
  readonly place: TenancyQuery
}

export const UsedBy = ({ kind, id, place: { partition } }: Props) => {
  // The filter keys of tokens and roles contain the IDs that they link.
  const [turn, refresh] = useTurn()
  const { state } = useChanges([`ACLToken:${id}`, `ACLRole:${id}`], refresh)
  const query = { [kind]: id, ns: '*', partition, limit: MAX_USERS + 1 }
  const { value: tokens, failure } = useResponse<readonly Token[]>('/v1/acl/tokens', query, turn)
  const { value: roles } = useResponse<readonly Role[]>(
    kind === 'policy' ? '/v1/acl/roles' : undefined,
    query,
    turn
  )
  return (
    <Section title="Used by" failure={failure}>
      {typeof state === 'object' && 'refused' in state && (
        <p class="index">Not updated automatically: {state.refused}</p>
      )}
      {roles && <Users what="role" users={roles.map(({ ID, Name }) => ({ id: ID, name: Name }))} />}
      {tokens && (
        <Users
          what="token"
          users={tokens.map(({ AccessorID, Description }) => ({
            id: AccessorID,
            name: Description || AccessorID
          }))}
        />
      )}
    </Section>
  )
}

interface ViewOptions<T> extends Pick<FormViewOptions<T>, 'Form' | 'related' | 'summary' | 'Usage'> {
  /** The singular, such as `binding rule`; paths of the API and the pages are derived from it. */
  readonly what: string
  readonly list: string
  readonly nameOf: (fields: Fields, id: string) => string
  readonly consequence: string
}

const viewOf = <T extends object>({
  what,
  list,
  nameOf,
  consequence,
  ...view
}: ViewOptions<T>): ResourceView => {
  const targetOf = ({ id, place }: PanelProps) => ({ path: `/v1/acl/${what.replace(' ', '-')}`, id, place })
  return formView<T>({
    ...view,
    targetOf,
    Actions: panel => (
      <DeleteButton
        target={targetOf(panel)}
        what={what}
        name={nameOf(panel.fields, panel.id)}
        consequence={consequence}
        back={`/ui/${list}`}
      />
    )
  })
}

const nameIn = ({ Name }: Fields): string => textOf(Name)

export const policyView = viewOf<Policy>({
  what: 'policy',
  list: 'policies',
  summary: ({ Description, Datacenters, ID }) => [
    ['Description', textOf(Description)],
    ['Datacenters', Array.isArray(Datacenters) && Datacenters.length > 0 ? Datacenters.join(', ') : 'all'],
    ['ID', textOf(ID)]
  ],
  Form: PolicyForm,
  nameOf: nameIn,
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

export const roleView = viewOf<Role>({
  what: 'role',
  list: 'roles',
  summary: fields => [
    ['Description', textOf(fields['Description'])],
    ['Policies', linksTo('policies', fields['Policies'])],
    ['Identities', identitiesOf(fields)],
    ['ID', textOf(fields['ID'])]
  ],
  Form: props => (
    <FieldsForm {...props} hasImpact label="Role" definition={roleDefinition} inputs={ROLE_INPUTS} />
  ),
  nameOf: nameIn,
  consequence: 'Tokens that link it lose its permissions.',
  related: ({ id, place }) => <UsedBy kind="role" id={id} place={place} />,
  Usage: usageTab('role')
})

export const bindingRuleView = viewOf<BindingRule>({
  what: 'binding rule',
  list: 'binding-rules',
  summary: ({ AuthMethod: method, Selector, BindType, BindName, Description }) => [
    ['Auth method', <a href={resourcePage('auth-methods', { key: textOf(method) })}>{textOf(method)}</a>],
    ['Selector', textOf(Selector) || 'every login'],
    ['Grants', `${textOf(BindType)} ${textOf(BindName)}`],
    ['Description', textOf(Description)]
  ],
  Form: BindingRuleForm,
  nameOf: ({ Description, Selector }, id) => textOf(Description) || textOf(Selector) || id,
  consequence: 'New logins no longer receive its grant. Existing tokens keep theirs.',
  related: ({ place }, rule) => rule && <BindingTest method={rule.AuthMethod} place={place} />
})

const MethodRules = ({ id, place }: StoredTarget) => {
  const [turn, refresh] = useTurn()
  useChanges(['ACLBindingRule'], refresh)
  const query = { ...place, authmethod: id }
  const { value: rules } = useResponse<readonly BindingRule[]>('/v1/acl/binding-rules', query, turn)
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

export const authMethodView = viewOf<AuthMethod>({
  what: 'auth method',
  list: 'auth-methods',
  summary: ({ Type, DisplayName, Description, MaxTokenTTL, TokenLocality }) => [
    ['Type', textOf(Type)],
    ['Display name', textOf(DisplayName)],
    ['Description', textOf(Description)],
    ['Tokens expire after', Number(MaxTokenTTL) === 0 ? 'never' : textOf(MaxTokenTTL)],
    ['Token scope', textOf(TokenLocality)]
  ],
  Form: AuthMethodForm,
  nameOf: nameIn,
  consequence: 'Its binding rules and all tokens of its logins are deleted too.',
  related: target => (
    <>
      <MethodRules {...target} />
      <BindingTest method={target.id} place={target.place} />
    </>
  )
})
