// What the page of an auth method has besides: its form, its binding rules, and what claims would get.
import { Refusal } from '../../components/notice.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { Table } from '../../components/table.js'
import { useResponse } from '../../session/use-response.js'
import type { PanelProps } from '../resource/panel-props.js'
import { BindingTest } from './binding-test.js'
import { AuthMethodForm, type AuthMethod } from './forms/auth-method-form.js'
import { DeleteButton } from './forms/delete-button.js'
import type { BindingRule } from './forms/acl-resources.js'

export const AuthMethodPanel = ({ named, turn }: PanelProps) => {
  const id = String(named['key'])
  const place = tenancyQueryOf(named)
  const path = '/v1/acl/auth-method'
  const { value: method, failure } = useResponse<AuthMethod>(`${path}/${encodeURIComponent(id)}`, place, turn)
  const { value: rules } = useResponse<readonly BindingRule[]>(
    '/v1/acl/binding-rules',
    { ...place, authmethod: id },
    turn
  )
  return (
    <>
      <section aria-label="Edit">
        <h2>Edit</h2>
        <Refusal text={failure} />
        {method && <AuthMethodForm method={method} place={place} done={() => announce('Saved.')} />}
      </section>
      <section aria-label="Binding rules">
        <h2>Binding rules</h2>
        {rules && (
          <Table
            label="Binding rules of the method"
            head={['Selector', 'Gives', 'Description']}
            rows={rules.map(({ ID, Selector, BindType, BindName, Description }) => [
              <a href={`/ui/binding-rules/one?${new URLSearchParams({ key: ID })}`}>
                <code>{Selector || 'everybody'}</code>
              </a>,
              `${BindType} ${BindName}`,
              Description
            ])}
            none="It has none, so every login is denied."
          />
        )}
        <p>
          <a class="button" href={`/ui/binding-rules/new?${new URLSearchParams({ method: id })}`}>
            New binding rule
          </a>
        </p>
      </section>
      <BindingTest method={id} place={place} />
      {method && (
        <DeleteButton
          target={{ path, id, place }}
          what="auth method"
          name={id}
          consequence="Its binding rules go with it, and so do the tokens that logins with it made."
          back="/ui/auth-methods"
        />
      )}
    </>
  )
}
