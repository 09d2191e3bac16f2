import { roleDefinition } from '../../../../../events/role.js'
import { FieldsForm } from './fields-form.js'
import type { ResourceFormProps, Role } from './form.js'

const INPUTS = [
  { Name: { required: true } },
  { Description: {} },
  { Policies: {} },
  { ServiceIdentities: {} },
  { NodeIdentities: {} }
]

export const RoleForm = (props: ResourceFormProps<Role>) => (
  <FieldsForm {...props} hasImpact label="Role" definition={roleDefinition} inputs={INPUTS} />
)
