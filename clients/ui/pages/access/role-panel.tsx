// What the page of a role has besides: its form, and who uses it.
import { Refusal } from '../../components/notice.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { useResponse } from '../../session/use-response.js'
import type { PanelProps } from '../resource/panel-props.js'
import { DeleteButton } from './forms/delete-button.js'
import { RoleForm } from './forms/role-form.js'
import type { Role } from './forms/acl-resources.js'
import { UsedBy } from './forms/used-by.js'

export const RolePanel = ({ named, turn }: PanelProps) => {
  const id = String(named['key'])
  const place = tenancyQueryOf(named)
  const path = '/v1/acl/role'
  const { value: role, failure } = useResponse<Role>(`${path}/${id}`, place, turn)
  return (
    <>
      <section aria-label="Edit">
        <h2>Edit</h2>
        <Refusal text={failure} />
        {role && <RoleForm role={role} place={place} done={() => announce('Saved.')} />}
      </section>
      <UsedBy kind="role" id={id} place={place} />
      {role && (
        <DeleteButton
          target={{ path, id, place }}
          what="role"
          name={role.Name}
          consequence="Tokens that link it lose what it gives."
          back="/ui/roles"
        />
      )}
    </>
  )
}
