// Where policies, roles, tokens, auth methods and binding rules are made.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../../components/heading.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf, useTenancy, type TenancyQuery } from '../../session/tenancy.js'
import { AuthMethodForm, NEW_METHODS } from './forms/auth-method-form.js'
import { BindingRuleForm } from './forms/binding-rule-form.js'
import { TextField } from './forms/form.js'
import { NewSecret } from './forms/new-secret.js'
import { PolicyForm } from './forms/policy-form.js'
import { RoleForm } from './forms/role-form.js'
import type { CreatedToken } from './forms/acl-resources.js'
import { TokenForm } from './forms/token-form.js'

interface NewProps {
  readonly title: string
  /** Path of the list. */
  readonly list: string
  readonly listTitle: string
  /** @param made leads to what was made, by its key */
  readonly children: (place: TenancyQuery, made: (key: string) => void) => ComponentChildren
}

const New = ({ title, list, listTitle, children }: NewProps) => {
  const { route } = useLocation()
  const chosen = tenancyQueryOf(useTenancy().query)
  const [namespace, setNamespace] = useState(chosen.ns ?? '')
  const place: TenancyQuery = { ...chosen, ns: namespace.trim() || undefined }
  const made = (key: string): void => {
    const { ns, partition } = place
    const named = { key, ...(ns ? { ns } : {}), ...(partition ? { partition } : {}) }
    route(`/ui/${list}/one?${new URLSearchParams(named)}`)
    announce('Made.')
  }
  return (
    <main class="resource">
      <nav aria-label="Path">
        <a href={`/ui/${list}`}>{listTitle}</a>
      </nav>
      <Heading>{title}</Heading>
      <div class="acl-form">
        <TextField label="Namespace" placeholder="default" value={namespace} change={setNamespace} />
      </div>
      {children(place, made)}
    </main>
  )
}

/** Its rules are those of the address, where another page leads here. */
export const NewPolicyPage = () => {
  const { rules = '' } = useLocation().query
  return (
    <New title="New policy" list="policies" listTitle="Policies">
      {(place, made) => (
        <PolicyForm policy={undefined} rules={rules} place={place} done={({ ID }) => made(ID)} />
      )}
    </New>
  )
}

export const NewRolePage = () => (
  <New title="New role" list="roles" listTitle="Roles">
    {(place, made) => <RoleForm role={undefined} place={place} done={({ ID }) => made(ID)} />}
  </New>
)

export const NewTokenPage = () => {
  const [token, setToken] = useState<CreatedToken>()
  return (
    <New title="New token" list="tokens" listTitle="Tokens">
      {place =>
        token ? <NewSecret token={token} /> : <TokenForm token={undefined} place={place} done={setToken} />
      }
    </New>
  )
}

const TYPES = ['jwt', 'oidc', 'kubernetes'] as const

export const NewAuthMethodPage = () => {
  const [type, setType] = useState<(typeof TYPES)[number]>('jwt')
  return (
    <New title="New auth method" list="auth-methods" listTitle="Auth methods">
      {(place, made) => (
        <>
          <p class="choices" role="group" aria-label="Type">
            {TYPES.map(each => (
              <button type="button" key={each} aria-pressed={each === type} onClick={() => setType(each)}>
                {each}
              </button>
            ))}
          </p>
          <AuthMethodForm
            key={type}
            method={undefined}
            beginning={NEW_METHODS[type]}
            place={place}
            done={({ Name }) => made(Name)}
          />
        </>
      )}
    </New>
  )
}

export const NewBindingRulePage = () => {
  const { method = '' } = useLocation().query
  return (
    <New title="New binding rule" list="binding-rules" listTitle="Binding rules">
      {(place, made) => (
        <BindingRuleForm rule={undefined} method={method} place={place} done={({ ID }) => made(ID)} />
      )}
    </New>
  )
}
