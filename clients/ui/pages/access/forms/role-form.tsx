import { roleDefinition } from '../../../../../events/role.js'
import { Field, fieldOf, FurtherFields, furtherTexts } from '../../../design/index.js'
import { useDraft } from '../../../session/use-response.js'
import { Form, type ResourceFormProps, type Role } from './form.js'
import { grantsDraft, GrantsFields, grantsOf } from './grants.js'

const KNOWN = ['Name', 'Description']

export const RoleForm = ({ target, stored, done }: ResourceFormProps<Role>) => {
  const { Name = '', Description = '', ModifyIndex = 0 } = stored ?? {}
  const further = furtherTexts(roleDefinition, KNOWN, stored)
  const draft = useDraft({ Name, Description, further, ...grantsDraft(stored ?? {}) }, ModifyIndex)
  const body = () => ({
    Name: draft.value.Name,
    Description: draft.value.Description,
    ...draft.value.further,
    ...grantsOf(draft.value)
  })
  return (
    <Form hasImpact label="Role" target={target} draft={draft} body={body} done={done}>
      <Field label="Name" required {...fieldOf(draft, 'Name')} />
      <Field label="Description" {...fieldOf(draft, 'Description')} />
      <FurtherFields definition={roleDefinition} {...fieldOf(draft, 'further')} />
      <GrantsFields place={target.place} {...draft} />
    </Form>
  )
}
