import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button, announce, Breadcrumbs, Field, Heading } from '../../design/index.js'
import { tenancyQueryOf, useTenancy, type TenancyQuery } from '../../session/tenancy.js'
import { AuthMethodForm, NEW_METHODS } from './forms/auth-method-form.js'
import { BindingRuleForm } from './forms/binding-rule-form.js'
import type { ResourceFormProps } from './forms/form.js'
import { PolicyForm } from './forms/policy-form.js'
import { RoleForm } from './forms/role-form.js'
import type { CreatedToken } from './forms/acl-resources.js'
import { NewSecret, TokenForm } from './forms/token-form.js'

type NewResource = Pick<ResourceFormProps<never>, 'target'> & { readonly stored: undefined }

interface NewProps {
  /** The singular, such as `auth method`. */
  readonly what: string
  readonly list: string
  readonly listTitle: string
  /** @param open opens the page of the created resource by its key */
  readonly children: (form: NewResource, open: (key: string) => void) => ComponentChildren
}

const New = ({ what, list, listTitle, children }: NewProps) => {
  const { route } = useLocation()
  const chosen = tenancyQueryOf(useTenancy().query)
  const [namespace, setNamespace] = useState(chosen.ns ?? '')
  const place: TenancyQuery = { ...chosen, ns: namespace.trim() || undefined }
  const target = { path: `/v1/acl/${what.replace(' ', '-')}`, id: undefined, place }
  const open = (key: string): void => {
    const { ns, partition } = place
    const named = { key, ...(ns ? { ns } : {}), ...(partition ? { partition } : {}) }
    route(`/ui/${list}/one?${new URLSearchParams(named)}`)
    announce(`Created ${what}.`)
  }
  return (
    <main class="resource">
      <Breadcrumbs links={[[`/ui/${list}`, listTitle]]} />
      <Heading>{`Create ${what}`}</Heading>
      <div class="acl-form">
        <Field label="Namespace" placeholder="default" value={namespace} change={setNamespace} />
      </div>
      {children({ target, stored: undefined }, open)}
    </main>
  )
}

/** The address may contain the initial rules. */
export const NewPolicyPage = () => {
  const { rules = '' } = useLocation().query
  return (
    <New what="policy" list="policies" listTitle="Policies">
      {(form, open) => <PolicyForm {...form} rules={rules} done={({ ID }) => open(ID)} />}
    </New>
  )
}

export const NewRolePage = () => (
  <New what="role" list="roles" listTitle="Roles">
    {(form, open) => <RoleForm {...form} done={({ ID }) => open(ID)} />}
  </New>
)

export const NewTokenPage = () => {
  const [token, setToken] = useState<CreatedToken>()
  return (
    <New what="token" list="tokens" listTitle="Tokens">
      {form => (token ? <NewSecret token={token} /> : <TokenForm {...form} done={setToken} />)}
    </New>
  )
}

const TYPES = ['jwt', 'oidc', 'kubernetes'] as const

export const NewAuthMethodPage = () => {
  const [type, setType] = useState<(typeof TYPES)[number]>('jwt')
  return (
    <New what="auth method" list="auth-methods" listTitle="Auth methods">
      {(form, open) => (
        <>
          <p class="choices" role="group" aria-label="Type">
            {TYPES.map(each => (
              <Button label={each} act={() => setType(each)} key={each} aria-pressed={each === type} />
            ))}
          </p>
          <AuthMethodForm {...form} key={type} initial={NEW_METHODS[type]} done={({ Name }) => open(Name)} />
        </>
      )}
    </New>
  )
}

export const NewBindingRulePage = () => {
  const { method = '' } = useLocation().query
  return (
    <New what="binding rule" list="binding-rules" listTitle="Binding rules">
      {(form, open) => <BindingRuleForm {...form} method={method} done={({ ID }) => open(ID)} />}
    </New>
  )
}
