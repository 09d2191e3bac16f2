import { Field, fieldOf } from '../../../components/field.js'
import { useDraft } from '../../../session/use-draft.js'
import { Form, type ResourceFormProps } from './form.js'
import { grantsDraft, GrantsFields, grantsOf } from './grants.js'
import type { Role } from './acl-resources.js'

export const RoleForm = ({ target, stored, done }: ResourceFormProps<Role>) => {
  const { Name = '', Description = '', ModifyIndex = 0 } = stored ?? {}
  const draft = useDraft({ Name, Description, ...grantsDraft(stored ?? {}) }, ModifyIndex)
  const body = () => ({
    Name: draft.value.Name,
    Description: draft.value.Description,
    ...grantsOf(draft.value)
  })
  return (
    <Form label="Role" target={target} draft={draft} body={body} done={done}>
      {() => (
        <>
          <Field label="Name" required {...fieldOf(draft, 'Name')} />
          <Field label="Description" {...fieldOf(draft, 'Description')} />
          <GrantsFields place={target.place} {...draft} />
        </>
      )}
    </Form>
  )
}
