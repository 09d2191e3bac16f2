// A binding rule in a form.
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useResponse } from '../../../session/use-response.js'
import { useDraft } from '../../../session/use-draft.js'
import { Form, TextField } from './form.js'
import { store } from './send.js'
import type { BindingRule } from './acl-resources.js'

const TYPES = ['service', 'role', 'node'] as const

interface Props {
  /** Undefined for one that is to be made. */
  readonly rule: BindingRule | undefined
  /** The auth method of one that is to be made. */
  readonly method?: string
  readonly place: TenancyQuery
  readonly done: (stored: BindingRule) => void
}

export const BindingRuleForm = ({ rule, method = '', place, done }: Props) => {
  const {
    AuthMethod = method,
    Description = '',
    Selector = '',
    BindType = 'service',
    BindName = '',
    ID,
    ModifyIndex = 0
  } = rule ?? {}
  const draft = useDraft({ AuthMethod, Description, Selector, BindType, BindName }, ModifyIndex)
  const { value, change } = draft
  const { value: methods = [] } = useResponse<readonly { readonly Name: string }[]>(
    rule ? undefined : '/v1/acl/auth-methods',
    place
  )
  const send = async (reason: string): Promise<void> => {
    const target = { path: '/v1/acl/binding-rule', id: ID, place }
    const saved = await store<BindingRule>(target, value, reason)
    draft.discard()
    done(saved)
  }
  return (
    <Form label="Binding rule" place={place} draft={draft} isNew={!rule} send={send}>
      {() => (
        <>
          {!rule && (
            <label>
              <span>Auth method</span>
              <input
                list="methods"
                required
                value={value.AuthMethod}
                onInput={({ currentTarget }) => change({ AuthMethod: currentTarget.value })}
              />
              <datalist id="methods">
                {methods.map(({ Name }) => (
                  <option key={Name} value={Name} />
                ))}
              </datalist>
            </label>
          )}
          <TextField
            label="Selector"
            placeholder="everybody"
            hint={'Such as "admins" in list.groups'}
            value={value.Selector}
            change={text => change({ Selector: text })}
          />
          <div class="columns">
            <label>
              <span>Gives</span>
              <select
                value={value.BindType}
                onChange={({ currentTarget }) => change({ BindType: currentTarget.value })}
              >
                {TYPES.map(type => (
                  <option key={type} value={type}>
                    {type === 'role' ? 'a role' : `the identity of a ${type}`}
                  </option>
                ))}
              </select>
            </label>
            <TextField
              label="Named"
              required
              hint={'May hold claims, such as team-${value.team}'}
              value={value.BindName}
              change={text => change({ BindName: text })}
            />
          </div>
          <TextField
            label="Description"
            value={value.Description}
            change={text => change({ Description: text })}
          />
        </>
      )}
    </Form>
  )
}
