// A role in a form.
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useDraft } from '../../../session/use-draft.js'
import { Form, TextField } from './form.js'
import { grantsDraft, GrantsFields, grantsOf } from './grants.js'
import { store } from './send.js'
import type { Role } from './acl-resources.js'

interface Props {
  /** Undefined for one that is to be made. */
  readonly role: Role | undefined
  readonly place: TenancyQuery
  readonly done: (stored: Role) => void
}

export const RoleForm = ({ role, place, done }: Props) => {
  const { Name = '', Description = '', ID, ModifyIndex = 0 } = role ?? {}
  const draft = useDraft({ Name, Description, ...grantsDraft(role ?? {}) }, ModifyIndex)
  const { value, change } = draft
  const send = async (reason: string): Promise<void> => {
    const body = { Name: value.Name, Description: value.Description, ...grantsOf(value) }
    const saved = await store<Role>({ path: '/v1/acl/role', id: ID, place }, body, reason)
    draft.discard()
    done(saved)
  }
  return (
    <Form label="Role" place={place} draft={draft} isNew={!role} send={send}>
      {() => (
        <>
          <TextField label="Name" required value={value.Name} change={text => change({ Name: text })} />
          <TextField
            label="Description"
            value={value.Description}
            change={text => change({ Description: text })}
          />
          <GrantsFields place={place} value={value} change={change} />
        </>
      )}
    </Form>
  )
}
