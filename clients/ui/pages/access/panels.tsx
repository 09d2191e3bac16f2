import type { ComponentChildren, FunctionComponent } from 'preact'
import { Section } from '../../components/section.js'
import { announce } from '../../components/status-announcer.js'
import { Table } from '../../components/table.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { useResponse } from '../../session/use-response.js'
import type { PanelProps } from '../resource/panel-props.js'
import { pathOf, type Target } from '../send.js'
import { BindingTest } from './binding-test.js'
import { AuthMethodForm, type AuthMethod } from './forms/auth-method-form.js'
import { BindingRuleForm } from './forms/binding-rule-form.js'
import { DeleteButton, type ResourceFormProps } from './forms/form.js'
import type { BindingRule, Policy, Role } from './forms/acl-resources.js'
import { PolicyForm } from './forms/policy-form.js'
import { RoleForm } from './forms/role-form.js'
import { UsedBy } from './forms/used-by.js'

type RelatedTarget = Target & { readonly id: string }

interface PanelOptions<T> {
  /** The singular, such as `binding rule`; paths of the API and the pages are derived from it. */
  readonly what: string
  readonly list: string
  readonly Form: FunctionComponent<ResourceFormProps<T>>
  readonly nameOf: (stored: T, id: string) => string
  readonly consequence: string
  /** @param stored undefined until it is read */
  readonly related: (target: RelatedTarget, stored: T | undefined, turn: number) => ComponentChildren
}

const panelOf =
  <T,>({ what, list, Form, nameOf, consequence, related }: PanelOptions<T>) =>
  ({ named, turn }: PanelProps) => {
    const path = `/v1/acl/${what.replace(' ', '-')}`
    const target = { path, id: String(named['key']), place: tenancyQueryOf(named) }
    const { value: stored, failure } = useResponse<T>(pathOf(target), target.place, turn)
    return (
      <>
        <Section title="Edit" failure={failure}>
          {stored && <Form target={target} stored={stored} done={() => announce('Saved.')} />}
        </Section>
        {related(target, stored, turn)}
        {stored && (
          <DeleteButton
            target={target}
            what={what}
            name={nameOf(stored, target.id)}
            consequence={consequence}
            back={`/ui/${list}`}
          />
        )}
      </>
    )
  }

export const PolicyPanel = panelOf<Policy>({
  what: 'policy',
  list: 'policies',
  Form: PolicyForm,
  nameOf: ({ Name }) => Name,
  consequence: 'Tokens and roles that link it lose its permissions.',
  related: ({ id, place }) => <UsedBy kind="policy" id={id} place={place} />
})

export const RolePanel = panelOf<Role>({
  what: 'role',
  list: 'roles',
  Form: RoleForm,
  nameOf: ({ Name }) => Name,
  consequence: 'Tokens that link it lose its permissions.',
  related: ({ id, place }) => <UsedBy kind="role" id={id} place={place} />
})

export const BindingRulePanel = panelOf<BindingRule>({
  what: 'binding rule',
  list: 'binding-rules',
  Form: BindingRuleForm,
  nameOf: ({ Description, Selector }, id) => Description || Selector || id,
  consequence: 'New logins no longer receive its grant. Existing tokens keep theirs.',
  related: ({ place }, rule) => rule && <BindingTest method={rule.AuthMethod} place={place} />
})

interface RulesProps {
  readonly method: RelatedTarget
  readonly turn: number
}

const MethodRules = ({ method: { id, place }, turn }: RulesProps) => {
  const query = { ...place, authmethod: id }
  const { value: rules } = useResponse<readonly BindingRule[]>('/v1/acl/binding-rules', query, turn)
  return (
    <Section title="Binding rules">
      {rules && (
        <Table
          label="Binding rules of the method"
          head={['Selector', 'Grants', 'Description']}
          rows={rules.map(({ ID, Selector, BindType, BindName, Description }) => [
            <a href={`/ui/binding-rules/one?${new URLSearchParams({ key: ID })}`}>
              <code>{Selector || 'everybody'}</code>
            </a>,
            `${BindType} ${BindName}`,
            Description
          ])}
          none="There are no binding rules, so every login is denied."
        />
      )}
      <p>
        <a class="button" href={`/ui/binding-rules/new?${new URLSearchParams({ method: id })}`}>
          Create binding rule
        </a>
      </p>
    </Section>
  )
}

export const AuthMethodPanel = panelOf<AuthMethod>({
  what: 'auth method',
  list: 'auth-methods',
  Form: AuthMethodForm,
  nameOf: ({ Name }) => Name,
  consequence: 'Its binding rules and all tokens of its logins are deleted too.',
  related: (target, _stored, turn) => (
    <>
      <MethodRules method={target} turn={turn} />
      <BindingTest method={target.id} place={target.place} />
    </>
  )
})
