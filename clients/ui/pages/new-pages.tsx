// The pages that create access resources, namespaces and partitions.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button, announce, Breadcrumbs, Field, Heading } from '../design/index.js'
import type { Kind } from '../resources/kind.js'
import { accessKinds, namespaces, partitions } from '../resources/kinds.js'
import { ALL, tenancyQueryOf, useTenancy } from '../session/tenancy.js'
import { AuthMethodForm, NEW_METHODS } from './access/forms/auth-method-form.js'
import { BindingRuleForm } from './access/forms/binding-rule-form.js'
import type { ResourceFormProps } from './access/forms/form.js'
import { PolicyForm } from './access/forms/policy-form.js'
import { RoleForm } from './access/forms/role-form.js'
import type { CreatedToken } from './access/forms/acl-resources.js'
import { NewSecret, TokenForm } from './access/forms/token-form.js'
import { NamespaceForm, PartitionForm } from './server/tenancy/forms.js'
import { resourcePage } from '../resources/kind.js'

const [tokens, policies, roles, methods, rules] = accessKinds

type NewResource = Pick<ResourceFormProps<never>, 'target'> & { readonly stored: undefined }

interface NewProps {
  readonly kind: Kind | undefined
  /** @param open opens the page of the created resource by its key */
  readonly children: (form: NewResource, open: (key: string) => void) => ComponentChildren
}

const New = ({ kind, children }: NewProps) => {
  const { route } = useLocation()
  const { ns, partition: selected } = tenancyQueryOf(useTenancy().query)
  const [namespace, setNamespace] = useState(ns ?? '')
  if (!kind) return null
  const { path, title, one } = kind
  const isTenancy = kind === namespaces || kind === partitions
  const partition = kind === partitions || selected === ALL ? undefined : selected
  const place = { ns: isTenancy ? undefined : namespace.trim() || undefined, partition }
  const target = { path: `/v1/${isTenancy ? '' : 'acl/'}${one.replace(' ', '-')}`, id: undefined, place }
  const open = (key: string): void => {
    route(resourcePage(path, { key, ...place }))
    announce(`Created ${one}.`)
  }
  return (
    <main class="resource">
      <Breadcrumbs links={[[`/ui/${path}`, title]]} />
      <Heading>{`Create ${one}${isTenancy && partition ? ` in partition ${partition}` : ''}`}</Heading>
      {!isTenancy && (
        <div class="acl-form">
          <Field label="Namespace" placeholder="default" value={namespace} change={setNamespace} />
        </div>
      )}
      {children({ target, stored: undefined }, open)}
    </main>
  )
}

/** The address may contain the initial rules. */
export const NewPolicyPage = () => {
  const { rules: initial = '' } = useLocation().query
  return (
    <New kind={policies}>
      {(form, open) => <PolicyForm {...form} rules={initial} done={({ ID }) => open(ID)} />}
    </New>
  )
}

export const NewRolePage = () => (
  <New kind={roles}>{(form, open) => <RoleForm {...form} done={({ ID }) => open(ID)} />}</New>
)

export const NewTokenPage = () => {
  const [token, setToken] = useState<CreatedToken>()
  return (
    <New kind={tokens}>
      {form => (token ? <NewSecret token={token} /> : <TokenForm {...form} done={setToken} />)}
    </New>
  )
}

const TYPES = ['jwt', 'oidc', 'kubernetes'] as const

export const NewAuthMethodPage = () => {
  const [type, setType] = useState<(typeof TYPES)[number]>('jwt')
  return (
    <New kind={methods}>
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
    <New kind={rules}>
      {(form, open) => <BindingRuleForm {...form} method={method} done={({ ID }) => open(ID)} />}
    </New>
  )
}

export const NewNamespacePage = () => (
  <New kind={namespaces}>{(form, open) => <NamespaceForm {...form} done={({ Name }) => open(Name)} />}</New>
)

export const NewPartitionPage = () => (
  <New kind={partitions}>{(form, open) => <PartitionForm {...form} done={({ Name }) => open(Name)} />}</New>
)
